// Peers over stdio that keep their client waiting: silent, dripping, deaf, or stuck.
#include <unistd.h>

#include <csignal>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr std::string_view kChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
    "\n";

std::vector<Peer> silent_ones() {
  return {
      {.name = "silent",
       .does = "Reads everything, and says nothing",
       .cause = "did not answer initialize",
       .stdio = [](Stdio& stdio) { serve(stdio, [](const wire::Message&) { return true; }); }},
      {.name = "mute-after-initialize",
       .does = "Answers initialize, and nothing after it",
       .cause = "nothing that came after it",
       .breaks = {"ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio,
                   [](const wire::Message& message) { return !is_request(message, "initialize"); });
           }},
      {.name = "answers-at-the-end",
       .does = "Keeps all its answers back until its input ends",
       .cause = "did not answer initialize",
       .stdio =
           [](Stdio& stdio) {
             std::string answers;
             while (const auto line = stdio.read_line()) {
               answers += polite_answer(wire::decode(*line)) + "\n";
             }
             stdio.write(answers);
           }},
      {.name = "waits-for-the-client",
       .does = "Asks its client something that no client answers, before it answers initialize",
       .cause = "did not answer initialize",
       .breaks = {"lifecycle.initialize-first"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (!is_request(message, "initialize")) return true;
               stdio.say(notification("notifications/tools/list_changed"));
               stdio.say(R"({"jsonrpc":"2.0","id":"first-you","method":"ping"})");
               return true;
             });
           }},
      {.name = "drips-its-answer",
       .does = "Sends the answer to initialize a byte at a time, which never ends",
       .cause = "did not answer initialize",
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.write(result_head(message) + R"({"serverInfo":{"name":")");
               drip(stdio, "x", 20);
             });
           }},
      {.name = "drips-blank-lines",
       .does = "Prints a blank line every 20 ms, and nothing else",
       .cause = "blank|empty|did not answer initialize",
       .breaks = {"stdio.stdout-only-messages", "stdio.no-embedded-newlines"},
       .stdio = [](Stdio& stdio) { drip(stdio, "\n", 20); }},
      {.name = "drips-notifications",
       .does = "Answers initialize, and then sends a notification every 20 ms and nothing else",
       .cause = "answer",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               if (is_request(message, "initialize")) return false;
               drip(stdio, kChanged, 20);
             });
           }},
  };
}

std::vector<Peer> deaf_ones() {
  return {
      {.name = "never-reads",
       .does = "Reads nothing and says nothing",
       .cause = "did not answer initialize",
       .stdio = [](Stdio&) { stay(); }},
      {.name = "stops-reading",
       .does = "Reads nothing after initialize, which it answers",
       .cause = "nothing that came after it|answer",
       .breaks = {"ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.answer(message);
               stay();
             });
           }},
      {.name = "writes-and-never-reads",
       .does = "Sends notifications for ever, and reads nothing at all",
       .cause = "initialize|more than",
       .breaks = {"lifecycle.initialize-first"},
       .stdio = [](Stdio& stdio) { flood(stdio, kChanged); }},
      {.name = "asks-and-never-reads",
       .does = "Asks for pings for ever after initialize, and reads none of the answers",
       .cause = "answer|more than|reads",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once", "jsonrpc.request-id-unique"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.answer(message);
               flood(stdio, R"({"jsonrpc":"2.0","id":"more","method":"ping"})"
                            "\n");
             });
           }},
      {.name = "closes-its-input",
       .does = "Answers initialize, closes its standard input and stays",
       .cause = "stdin|answer|input",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once", "stdio.exits-on-eof"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.answer(message);
               ::close(STDIN_FILENO);
               stay();
             });
           }},
      {.name = "closes-its-output",
       .does = "Answers initialize, closes its standard output and reads on",
       .cause = "closed its output|output|stdout",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (is_request(message, "initialize")) {
                 stdio.answer(message);
                 ::close(STDOUT_FILENO);
               }
               return true;
             });
           }},
      {.name = "stops-itself",
       .does = "Answers initialize and stops, as if somebody had pressed Ctrl-Z",
       .cause = "nothing that came after it|answer",
       .breaks = {"ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               stdio.answer(message);
               ::raise(SIGSTOP);
               return true;
             });
           }},
  };
}

}  // namespace

std::vector<Peer> silent_peers() {
  std::vector<Peer> peers = silent_ones();
  for (Peer& peer : deaf_ones()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
