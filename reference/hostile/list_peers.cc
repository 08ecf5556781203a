// Peers whose lists do not end, or not as they should.
#include <fmt/format.h>

#include <csignal>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

std::string page(std::string_view name, std::string_view description, std::string_view cursor) {
  return fmt::format(
      R"({{"tools":[{{"name":"{}","description":"{}","inputSchema":{{"type":"object"}}}}],)"
      R"("nextCursor":"{}"}})",
      name, description, cursor);
}

// Each page names a next one, and has one tool with a description of that many bytes.
void list_for_ever(Stdio& stdio, std::size_t description_bytes) {
  const std::string description(description_bytes, 'd');
  std::size_t number = 0;
  serve(stdio, [&](const wire::Message& message) {
    if (!is_request(message, "tools/list")) return false;
    ++number;
    stdio.say(result_text(message, page(fmt::format("tool-{}", number), description,
                                        fmt::format("after-{}", number))));
    return true;
  });
}

}  // namespace

std::vector<Peer> list_peers() {
  return {
      {.name = "pages-without-end",
       .does = "Lists one tool more on each page, and always names a next page",
       .cause = "pages",
       .breaks = {"pagination.invalid-cursor", "pagination.stable-cursors"},
       .stdio = [](Stdio& stdio) { list_for_ever(stdio, 10); }},
      {.name = "large-pages-without-end",
       .does = "Lists pages of a megabyte, and always names a next page",
       .cause = "pages|large|larger|budget",
       .breaks = {"pagination.invalid-cursor", "pagination.stable-cursors"},
       .stdio = [](Stdio& stdio) { list_for_ever(stdio, std::size_t{1} << 20); }},
      {.name = "pages-that-repeat",
       .does = "Lists the same page, of nothing, with the same cursor for ever",
       .cause = "cursor|pages",
       .breaks = {"pagination.invalid-cursor", "pagination.list-ends"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (!is_request(message, "tools/list")) return false;
               stdio.say(result_text(message, R"({"tools":[],"nextCursor":"more"})"));
               return true;
             });
           }},
      {.name = "slow-pages",
       .does = "Lists a page every 200 ms, and always names a next page",
       .cause = "pages|in time",
       .breaks = {"pagination.invalid-cursor"},
       .stdio =
           [](Stdio& stdio) {
             std::size_t number = 0;
             serve(stdio, [&](const wire::Message& message) {
               if (!is_request(message, "tools/list")) return false;
               wait_ms(200);
               ++number;
               stdio.say(result_text(message, page(fmt::format("tool-{}", number), "Looks",
                                                   fmt::format("after-{}", number))));
               return true;
             });
           }},
      {.name = "dies-on-page-two",
       .does = "Lists a page that names a next one, and crashes when that is asked for",
       .cause = "tools/list",
       .breaks = {"jsonrpc.request-answered-once"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio, [&](const wire::Message& message) {
               if (!is_request(message, "tools/list")) return false;
               if (message.params().is_object() && message.params().contains("cursor")) {
                 ::raise(SIGSEGV);
               }
               stdio.say(result_text(message, page("look", "Looks", "more")));
               return true;
             });
           }},
  };
}

}  // namespace assay::hostile
