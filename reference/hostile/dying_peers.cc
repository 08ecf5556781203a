// Peers that die, at every point of a session.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr int kStatus = 3;

[[noreturn]] void die() {
  ::_exit(kStatus);
}

// Sound until this method comes, and dead before it is answered.
void die_at(Stdio& stdio, std::string_view method) {
  serve(stdio, [&](const wire::Message& message) -> bool {
    if (message.method() != method) return false;
    die();
  });
}

}  // namespace

std::vector<Peer> dying_peers() {
  return {
      {.name = "dies-at-once",
       .does = "Ends before it has read a byte, and says why on its standard error",
       .cause = "no configuration",
       .stdio =
           [](Stdio& stdio) {
             stdio.complain("hostile: no configuration found\n");
             die();
           }},
      {.name = "dies-on-initialize",
       .does = "Ends when initialize comes",
       .cause = "exit status 3|closed its output",
       .stdio = [](Stdio& stdio) { die_at(stdio, "initialize"); }},
      {.name = "dies-in-its-answer",
       .does = "Ends in the middle of its answer to initialize",
       .cause = "exit status 3|closed its output",
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               const std::string answer = polite_answer(message);
               stdio.write(std::string_view(answer).substr(0, answer.size() / 2));
               die();
             });
           }},
      {.name = "dies-after-its-answer",
       .does = "Answers initialize and ends",
       .cause = "exit status 3|closed its output",
       .breaks = {"jsonrpc.request-answered-once", "ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.answer(message);
               die();
             });
           }},
      {.name = "dies-after-initialized",
       .does = "Ends when it is told that the client is ready",
       .cause = "exit status 3|closed its output",
       .breaks = {"jsonrpc.request-answered-once", "ping.answered"},
       .stdio = [](Stdio& stdio) { die_at(stdio, "notifications/initialized"); }},
      {.name = "dies-on-ping",
       .does = "Aborts when a ping comes",
       .cause = "signal 6|closed its output",
       .breaks = {"jsonrpc.request-answered-once", "ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (is_request(message, "ping")) std::abort();
               return false;
             });
           }},
      {.name = "dies-in-a-list",
       .does = "Ends in the middle of its list of tools",
       .cause = "exit status 3|closed its output",
       .breaks = {"jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               if (!is_request(message, "tools/list")) return false;
               stdio.write(result_head(message) + R"({"tools":[{"name":"lo)");
               die();
             });
           }},
      {.name = "dies-in-a-call",
       .does = "Is killed by a bad access when a tool is called",
       .cause = "signal 11|closed its output",
       .breaks = {"jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (is_request(message, "tools/call")) ::raise(SIGSEGV);
               return false;
             });
           }},
      {.name = "dies-of-what-is-unknown",
       .does = "Ends when a method comes that it does not know",
       .cause = "exit status 3|closed its output",
       .breaks = {"jsonrpc.request-answered-once", "jsonrpc.bad-message-survived"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) -> bool {
               if (polite_answer(message).find("-32601") == std::string::npos) return false;
               die();
             });
           }},
  };
}

}  // namespace assay::hostile
