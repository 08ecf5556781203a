// Peers over HTTP that keep their client waiting, refuse it, or go.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

WebHooks begin_with(void (*answer)(const WebCall&)) {
  return {.on_message = [answer](const WebCall& call) {
    if (!is_request(call.message, "initialize")) return false;
    answer(call);
    return true;
  }};
}

std::vector<Peer> waiting_ones() {
  return {
      {.name = "http-silent",
       .does = "Takes the request, and says nothing",
       .cause = "did not answer initialize",
       .web =
           [] {
             return WebHooks{.on_message = [](const WebCall& call) -> bool {
               call.connection.wait_for_end();
               throw WebConnection::Gone{};
             }};
           }},
      {.name = "http-never-reads",
       .does = "Accepts connections, and reads nothing",
       .cause = "did not answer initialize",
       .web =
           [] {
             return WebHooks{
                 .on_connection = [](WebConnection& connection) -> bool { connection.hold(); }};
           }},
      {.name = "http-drips-its-head",
       .does = "Sends the head of its answer a byte at a time, which never ends",
       .cause = "did not answer initialize|head",
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.write("HTTP/1.1 200 OK\r\nX-Slow: ");
               call.connection.drip("z", 20);
             });
           }},
      {.name = "http-drips-its-body",
       .does = "Sends the body of its answer a byte at a time, which never ends",
       .cause = "did not answer initialize",
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.begin_chunks(WebConnection::kJson);
               call.connection.drip("1\r\n \r\n", 20);
             });
           }},
      {.name = "http-keeps-body-back",
       .does = "Promises a body of a gigabyte, sends ten bytes of it and no more",
       .cause = "did not answer initialize|larger|large",
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.write(
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                   "Content-Length: 1000000000\r\n\r\n{\"jsonrpc\"");
               call.connection.wait_for_end();
               throw WebConnection::Gone{};
             });
           }},
      {.name = "sse-drips-comments",
       .does = "Keeps its event stream alive with comments, and never answers",
       .cause = "did not answer initialize",
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.begin_events();
               call.connection.drip("3\r\n:\n\n\r\n", 20);
             });
           }},
      {.name = "sse-ends-and-asks-to-return",
       .does = "Ends its streams before the answer, and asks to be resumed after no time",
       .cause = "answer|stream",
       .breaks = {"jsonrpc.request-answered-once", "ping.answered", "http.stream-response"},
       .web =
           [] {
             const auto events = std::make_shared<std::atomic<std::size_t>>(0);
             return WebHooks{.on_request = [events](WebConnection& connection,
                                                    const WebRequest& request) {
               const bool is_asked = request.body.find(R"("initialize")") == std::string::npos &&
                                     request.body.find(R"("id")") != std::string::npos;
               if (request.method != "GET" && !is_asked) return false;
               connection.begin_events();
               connection.chunk(fmt::format("id: {}\nretry: 0\ndata:\n\n", ++*events));
               connection.end_chunks();
               return true;
             }};
           }},
  };
}

std::vector<Peer> refusing_ones() {
  return {
      {.name = "http-closes-at-once",
       .does = "Accepts connections and closes them",
       .cause = "closed|ended|before",
       .web = [] { return WebHooks{.on_connection = [](WebConnection&) { return true; }}; }},
      {.name = "http-wrong-path",
       .does = "Answers 404 with a sentence, whatever is asked for",
       .cause = "404",
       .web =
           [] {
             return WebHooks{.on_request = [](WebConnection& connection, const WebRequest&) {
               connection.answer(404, "Content-Type: text/plain\r\n", "There is nothing here.\n");
               return true;
             }};
           }},
      {.name = "http-sends-in-circles",
       .does = "Redirects to itself",
       .cause = "307|redirect",
       .web =
           [] {
             return WebHooks{.on_request = [](WebConnection& connection, const WebRequest&) {
               connection.answer(307, "Location: /mcp\r\n", "");
               return true;
             }};
           }},
      {.name = "http-asks-for-a-login",
       .does = "Answers 401 to everything",
       .cause = "401",
       .web =
           [] {
             return WebHooks{.on_request = [](WebConnection& connection, const WebRequest&) {
               connection.answer(401, "WWW-Authenticate: Bearer\r\n", "");
               return true;
             }};
           }},
      {.name = "http-dies-after-initialize",
       .does = "Answers initialize and ends: its port is closed",
       .cause = "went away|refused",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.answer_json(polite_answer(call.message));
               ::_exit(0);
             });
           }},
      {.name = "http-dies-in-its-answer",
       .does = "Ends in the middle of its answer to initialize",
       .cause = "initialize",
       .web =
           [] {
             return begin_with([](const WebCall& call) {
               call.connection.write(
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                   "Content-Length: 500\r\n\r\n{\"jsonrpc\"");
               ::_exit(3);
             });
           }},
  };
}

}  // namespace

std::vector<Peer> web_silent_peers() {
  std::vector<Peer> peers = waiting_ones();
  for (Peer& peer : refusing_ones()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
