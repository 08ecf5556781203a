// Peers that speak another revision, or name one that is none.
#include <fmt/format.h>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

// Of JSON text: an escaped CR LF, and what would be a header field behind it.
constexpr std::string_view kTwoLines = R"(2025-11-25\r\nX-Injected: yes)";

void serve_version(Stdio& stdio, std::string_view version) {
  serve(stdio, [&](const wire::Message& message) {
    if (!is_request(message, "initialize")) return false;
    stdio.say(result_text(message, initialize_result(version)));
    return true;
  });
}

// A stateless server: no method of the handshake is known to it.
bool is_of_the_handshake(const wire::Message& message) {
  return is_request(message, "initialize") || is_request(message, "ping");
}

std::string not_found(const wire::Message& request) {
  return error_text(request, wire::kMethodNotFound, "Method not found");
}

}  // namespace

std::vector<Peer> version_peers() {
  return {
      {.name = "only-2026-07-28",
       .does = "Speaks 2026-07-28 only, which has no initialize: it answers -32601",
       .cause = "2026-07-28|no revision in common",
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (is_request(message, "server/discover")) {
                 stdio.say(result_text(
                     message, R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
                              R"("capabilities":{},"ttlMs":0,"cacheScope":"private"})"));
                 return true;
               }
               if (!is_of_the_handshake(message)) return false;
               stdio.say(not_found(message));
               return true;
             });
           }},
      {.name = "only-2026-07-28-over-http",
       .does = "The same over HTTP",
       .cause = "2026-07-28|no revision in common",
       .web =
           [] {
             return WebHooks{.on_message = [](const WebCall& call) {
               if (!is_of_the_handshake(call.message)) return false;
               call.connection.answer(404, WebConnection::kJson, not_found(call.message));
               return true;
             }};
           }},
      {.name = "version-of-nobody",
       .does = "Offers the version 1999-01-01, whatever it is asked for",
       .cause = "1999-01-01",
       .stdio = [](Stdio& stdio) { serve_version(stdio, "1999-01-01"); }},
      {.name = "version-of-two-lines",
       .does = "Offers a version with a line break in it",
       .cause = "offered|version",
       .stdio = [](Stdio& stdio) { serve_version(stdio, kTwoLines); }},
      {.name = "version-of-two-lines-over-http",
       .does = "Offers a version with a line break, which would begin a header field of the client",
       .cause = "offered|version",
       .web =
           [] {
             return WebHooks{.on_request =
                                 [](WebConnection&, const WebRequest& request) {
                                   // Whoever sent it has been made to say what we wanted.
                                   if (!request.field("x-injected").empty()) {
                                     fmt::print(stderr, "{} a header field of ours\n", kOutwitted);
                                   }
                                   return false;
                                 },
                             .on_message =
                                 [](const WebCall& call) {
                                   if (!is_request(call.message, "initialize")) return false;
                                   call.connection.answer_json(
                                       result_text(call.message, initialize_result(kTwoLines)));
                                   return true;
                                 }};
           }},
      {.name = "version-of-a-megabyte",
       .does = "Offers a version of a million characters",
       .cause = "offered|version",
       .stdio = [](Stdio& stdio) { serve_version(stdio, std::string(std::size_t{1} << 20, '9')); }},
  };
}

}  // namespace assay::hostile
