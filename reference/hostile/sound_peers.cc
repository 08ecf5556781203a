// Peers that look bad and are sound: nobody may accuse them of anything.
#include <fmt/format.h>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

// Long enough to be seen, and well within the patience of any judge.
constexpr int kStartMs = 1'200;
constexpr int kSlowToolMs = 240;
constexpr std::size_t kPages = 70;

// The names are those of the built-in profile `official-fixtures`, so that the slow one is called.
constexpr std::string_view kFixtures =
    R"({"tools":[)"
    R"({"name":"test_simple_text","inputSchema":{"type":"object"}},)"
    R"({"name":"test_echo","inputSchema":{"type":"object"}},)"
    R"({"name":"test_slow","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]})";

bool slow_fixture(Stdio& stdio, const wire::Message& message) {
  if (is_request(message, "tools/list") && is_first_page(message)) {
    stdio.say(result_text(message, kFixtures));
    return true;
  }
  if (!is_request(message, "tools/call")) return false;
  const std::string name = text_member(message.params(), "name");
  if (name != "test_slow" && name != "test_echo" && name != "test_simple_text") return false;
  if (name == "test_slow") wait_ms(kSlowToolMs);
  stdio.say(result_text(message, R"({"content":[{"type":"text","text":"done"}]})"));
  return true;
}

// One tool to a page; a cursor is the number of the page.
bool page_of_many(Stdio& stdio, const wire::Message& message) {
  if (!is_request(message, "tools/list")) return false;
  const Json& params = message.params();
  std::size_t page = 0;
  if (params.is_object() && params.contains("cursor")) {
    const Json& cursor = params["cursor"];
    while (++page < kPages && cursor != fmt::format("page-{}", page)) {
    }
    if (page == kPages) return false;
  }
  const std::string next =
      page + 1 < kPages ? fmt::format(R"(,"nextCursor":"page-{}")", page + 1) : "";
  stdio.say(result_text(
      message,
      fmt::format(R"({{"tools":[{{"name":"tool-{}","inputSchema":{{"type":"object"}}}}]{}}})", page,
                  next)));
  return true;
}

}  // namespace

std::vector<Peer> sound_peers() {
  return {
      {.name = "sound",
       .does = "Answers as it should, over stdio",
       .cause = "",
       .stdio = [](Stdio& stdio) { serve(stdio); }},
      {.name = "sound-over-http",
       .does = "Answers as it should, over HTTP",
       .cause = "",
       .web = [] { return WebHooks{}; }},
      {.name = "slow-starter",
       .does = "Reads nothing for its first second, and is sound then",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             wait_ms(kStartMs);
             serve(stdio);
           }},
      {.name = "one-thing-at-a-time",
       .does = "Has one thread: a ping waits until a slow tool is done",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             serve(stdio,
                   [&](const wire::Message& message) { return slow_fixture(stdio, message); });
           }},
      {.name = "seventy-pages",
       .does = "Lists 70 tools on 70 pages, which end",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             serve(stdio,
                   [&](const wire::Message& message) { return page_of_many(stdio, message); });
           }},
      {.name = "much-on-stderr",
       .does = "Writes 4 MB to its standard error with each message",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             const std::string chatter(std::size_t{4} << 20, '.');
             serve(stdio, [&](const wire::Message&) {
               stdio.complain(chatter);
               return false;
             });
           }},
  };
}

}  // namespace assay::hostile
