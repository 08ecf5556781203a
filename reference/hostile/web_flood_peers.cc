// Floods over HTTP: heads, bodies and streams without end.
#include <fmt/format.h>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

// Sound, but for the answer to `initialize`.
template <typename Answer>
WebHooks initialize_with(Answer answer) {
  return {.on_message = [answer](const WebCall& call) {
    if (!is_request(call.message, "initialize")) return false;
    answer(call);
    return true;
  }};
}

// Sound at initialize, and then nothing but what `answer` makes of it.
template <typename Answer>
WebHooks requests_with(Answer answer) {
  return {.on_message = [answer](const WebCall& call) {
    if (call.message.kind() != wire::MessageKind::kRequest ||
        is_request(call.message, "initialize")) {
      return false;
    }
    answer(call);
    return true;
  }};
}

std::string chunk_of(std::string_view bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::string event_chunk(std::string_view message) {
  return chunk_of(fmt::format("data: {}\n\n", message));
}

std::vector<Peer> in_the_head() {
  return {
      {.name = "http-no-http",
       .does = "Greets like another protocol, for ever",
       .cause = "not speak HTTP|not HTTP",
       .web =
           [] {
             return WebHooks{.on_connection = [](WebConnection& connection) -> bool {
               connection.flood("SSH-2.0-OpenSSH_9.2p1 hostile\r\n");
             }};
           }},
      {.name = "http-status-line-without-end",
       .does = "Begins a status line that never ends",
       .cause = "not HTTP|too long|longer|head|status line",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.write("HTTP/1.1 200 ");
               call.connection.flood("OK");
             });
           }},
      {.name = "http-header-lines-without-end",
       .does = "Sends header fields for ever",
       .cause = "head",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.write("HTTP/1.1 200 OK\r\n");
               call.connection.flood("X-More: there is more to come\r\n");
             });
           }},
      {.name = "http-interim-answers-without-end",
       .does = "Answers 100 Continue for ever",
       .cause = "100|interim|in time|head",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.flood("HTTP/1.1 100 Continue\r\n\r\n");
             });
           }},
  };
}

std::vector<Peer> in_the_body() {
  return {
      {.name = "http-chunks-without-end",
       .does = "Answers initialize with a chunked body that never ends",
       .cause = "longer|larger|large|more than|body|in time",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_chunks(WebConnection::kJson);
               call.connection.flood(chunk_of(std::string(4096, ' ')));
             });
           }},
      {.name = "http-chunk-size-without-end",
       .does = "Writes the size of a chunk in more and more digits",
       .cause = "chunk|not whole",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_chunks(WebConnection::kJson);
               call.connection.flood("0000");
             });
           }},
      {.name = "http-chunk-extension-without-end",
       .does = "Adds an extension to a chunk that never ends",
       .cause = "chunk|not whole",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_chunks(WebConnection::kJson);
               call.connection.write("1;");
               call.connection.flood("name=value;");
             });
           }},
      {.name = "http-trailer-without-end",
       .does = "Sends trailer fields for ever after its answer",
       .cause = "trailer|head|in time|answer",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_chunks(WebConnection::kJson);
               call.connection.chunk(polite_answer(call.message));
               call.connection.write("0\r\n");
               call.connection.flood("X-More: there is more to come\r\n");
             });
           }},
  };
}

std::vector<Peer> in_a_stream() {
  return {
      {.name = "sse-comments-without-end",
       .does = "Answers initialize with an event stream of nothing but comments",
       .cause = "in time|more than|did not answer",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.flood(chunk_of(": still here\n\n"));
             });
           }},
      {.name = "sse-notifications-without-end",
       .does = "Answers every request with an event stream of notifications that never ends",
       .cause = "answer|more than|flood",
       .breaks = {"http.stream-primed", "ping.answered", "jsonrpc.request-answered-once"},
       .web =
           [] {
             return requests_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.flood(event_chunk(notification("notifications/tools/list_changed")));
             });
           }},
      {.name = "sse-answers-without-end",
       .does = "Answers a request again and again, on an event stream that never ends",
       .cause = "again|twice|more than|answer",
       .breaks = {"http.stream-primed", "jsonrpc.request-answered-once",
                  "jsonrpc.result-response-id", "http.stream-closed-after-response",
                  "ping.answered"},
       .web =
           [] {
             return requests_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.flood(event_chunk(polite_answer(call.message)));
             });
           }},
      {.name = "sse-line-without-end",
       .does = "Sends an event whose line never ends",
       .cause = "larger|longer|more than|long|in time|did not answer",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.write(chunk_of("data: "));
               call.connection.flood(chunk_of(std::string(4096, 'd')));
             });
           }},
      {.name = "sse-event-without-end",
       .does = "Sends an event of more and more lines",
       .cause = "larger|longer|more than|long|in time|did not answer",
       .web =
           [] {
             return initialize_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.flood(chunk_of("data: and more\n"));
             });
           }},
      {.name = "get-stream-without-end",
       .does = "Sends notifications for ever on the stream that a GET opens",
       .cause = "more than|flood|stream|GET",
       .breaks = {"http.origin-validated", "http.version-header-invalid-400", "http.stream-primed"},
       .web =
           [] {
             return WebHooks{
                 .on_request = [](WebConnection& connection, const WebRequest& request) {
                   if (request.method != "GET") return false;
                   connection.begin_events();
                   connection.flood(event_chunk(notification("notifications/tools/list_changed")));
                 }};
           }},
  };
}

}  // namespace

std::vector<Peer> web_flood_peers() {
  std::vector<Peer> peers = in_the_head();
  for (Peer& peer : in_the_body()) peers.push_back(std::move(peer));
  for (Peer& peer : in_a_stream()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
