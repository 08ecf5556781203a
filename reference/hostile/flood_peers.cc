// Floods over stdio: more than anybody can read, of every kind.
#include <thread>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

// Sound until `method` comes, and then a flood of `unit`.
void flood_at(Stdio& stdio, std::string_view method, std::string_view unit) {
  serve(stdio, [&](const wire::Message& message) -> bool {
    if (message.method() != method) return false;
    flood(stdio, unit);
  });
}

std::string line(std::string_view text) {
  return std::string(text) + "\n";
}

constexpr std::string_view kProgress =
    R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"none","progress":1}})"
    "\n";
constexpr std::string_view kNobodysAnswer = R"({"jsonrpc":"2.0","id":"nobody-asked","result":{}})"
                                            "\n";
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":"again","method":"ping"})"
                                   "\n";

std::vector<Peer> before_anything() {
  return {
      {.name = "flood-banner",
       .does = "Prints lines of a banner, before anything else and for ever",
       .cause = "stdout|did not answer|wrote more",
       .breaks = {"stdio.stdout-only-messages", "stdio.no-embedded-newlines"},
       .stdio = [](Stdio& stdio) { flood(stdio, "Welcome! Starting up, please wait ...\n"); }},
      {.name = "flood-blank-lines",
       .does = "Prints blank lines, and nothing else",
       .cause = "blank|empty|did not answer|wrote more",
       .breaks = {"stdio.stdout-only-messages", "stdio.no-embedded-newlines"},
       .stdio = [](Stdio& stdio) { flood(stdio, "\n"); }},
      {.name = "flood-closing-braces",
       .does = "Prints '}' on lines of their own, as if it were the end of something",
       .cause = "stdout|did not answer|wrote more",
       .breaks = {"stdio.stdout-only-messages", "stdio.no-embedded-newlines"},
       .stdio = [](Stdio& stdio) { flood(stdio, "}\n"); }},
      {.name = "flood-zero-bytes",
       .does = "Writes zero bytes, without a single newline",
       .cause = "did not answer|wrote more|stdout|line",
       .breaks = {"stdio.stdout-only-messages", "stdio.no-embedded-newlines"},
       .stdio = [](Stdio& stdio) { flood(stdio, std::string_view("\0\0\0\0", 4)); }},
      {.name = "flood-stderr",
       .does = "Writes to its standard error for ever, and answers nothing",
       .cause = "did not answer initialize",
       .stdio =
           [](Stdio& stdio) {
             const std::string chatter(std::size_t{64} << 10, 'e');
             while (true) stdio.complain(chatter);
           }},
  };
}

std::vector<Peer> after_the_handshake() {
  return {
      {.name = "flood-notifications",
       .does = "Sends notifications that its tools changed, for ever, and no answer any more",
       .cause = "answer|more than|flood",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             flood_at(stdio, "notifications/initialized",
                      line(notification("notifications/tools/list_changed")));
           }},
      {.name = "flood-beside-answers",
       .does = "Sends notifications for ever, and answers beside them",
       .cause = "more than|flood|in time|answer",
       .stdio =
           [](Stdio& stdio) {
             std::thread beside;
             serve(stdio, [&](const wire::Message& message) {
               if (message.method() != "notifications/initialized" || beside.joinable()) {
                 return false;
               }
               beside = std::thread([&stdio] {
                 flood(stdio, line(notification("notifications/tools/list_changed")));
               });
               return false;
             });
             beside.join();
           }},
      {.name = "flood-progress",
       .does = "Sends progress of unrequested work, for ever",
       .cause = "progress|token|answer|more than",
       .breaks = {"progress.token-of-running-operation", "progress.token-of-active-request",
                  "ping.answered", "jsonrpc.request-answered-once"},
       .stdio = [](Stdio& stdio) { flood_at(stdio, "notifications/initialized", kProgress); }},
      {.name = "flood-answers",
       .does = "Answers unused ids, for ever",
       .cause = "id|no request|answer|more than",
       .breaks = {"jsonrpc.result-response-id", "ping.answered", "jsonrpc.request-answered-once"},
       .stdio = [](Stdio& stdio) { flood_at(stdio, "notifications/initialized", kNobodysAnswer); }},
      {.name = "flood-same-answer",
       .does = "Answers initialize again and again",
       .cause = "twice|again|more than|answer",
       .breaks = {"jsonrpc.request-answered-once", "jsonrpc.result-response-id", "ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               if (!is_request(message, "initialize")) return false;
               flood(stdio, line(result_text(message, initialize_result())));
             });
           }},
      {.name = "flood-requests",
       .does = "Asks for pings for ever, and reads the answers",
       .cause = "id|more than|answer|flood",
       .breaks = {"jsonrpc.request-id-unique", "ping.answered", "jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             std::thread beside;
             serve(stdio, [&](const wire::Message& message) {
               if (message.method() != "notifications/initialized" || beside.joinable()) {
                 return !is_request(message, "initialize");
               }
               beside = std::thread([&stdio] { flood(stdio, kPing); });
               return true;
             });
             beside.join();
           }},
      {.name = "flood-large-messages",
       .does = "Sends notifications of a megabyte each, for ever",
       .cause = "answer|more than|flood",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             const std::string padding(std::size_t{1} << 20, 'x');
             flood_at(stdio, "notifications/initialized",
                      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed",)"
                      R"("params":{"_meta":{"padding":")" +
                          padding + "\"}}}\n");
           }},
  };
}

}  // namespace

std::vector<Peer> flood_peers() {
  std::vector<Peer> peers = before_anything();
  for (Peer& peer : after_the_handshake()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
