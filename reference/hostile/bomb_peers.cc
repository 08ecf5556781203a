// Bombs over stdio: answers that are small to make and large to take in.
#include <fmt/format.h>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kLineMegabytes = 300;
constexpr std::size_t kSchemaMegabytes = 50;
constexpr std::size_t kValueMegabytes = 40;
constexpr std::size_t kNesting = 200'000;
constexpr std::size_t kManyTools = 10'000;
constexpr int kDoublings = 40;

std::string repeated(std::string_view unit, std::size_t times) {
  std::string text;
  text.reserve(unit.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += unit;
  return text;
}

// Writes a result that begins and ends so, with as many megabytes of `unit` in between; the bytes
// are never held at once.
void say_large(Stdio& stdio, const wire::Message& request, std::string_view begin,
               std::string_view unit, std::size_t megabytes, std::string_view end) {
  const std::string block = repeated(unit, kMegabyte / unit.size());
  stdio.write(result_head(request) + std::string(begin));
  for (std::size_t i = 0; i < megabytes; ++i) stdio.write(block);
  stdio.say(std::string(end) + "}");
}

// Sound, but for the answer to this method.
template <typename Say>
void serve_but(Stdio& stdio, std::string_view method, Say say) {
  serve(stdio, [&](const wire::Message& message) {
    if (!is_request(message, method) || !is_first_page(message)) return false;
    say(message);
    return true;
  });
}

// Writes the tools one by one, so that the peer stays small. `odd` is a part of each name.
void say_many_tools(Stdio& stdio, const wire::Message& request, std::string_view odd = "") {
  stdio.write(result_head(request) + R"({"tools":[)");
  for (std::size_t i = 0; i < kManyTools; ++i) {
    stdio.write(fmt::format(
        R"({}{{"name":"tool-{}{}","description":"{:.>200}","inputSchema":{{"type":"object",)"
        R"("properties":{{"a":{{"type":"string"}},"b":{{"type":"integer"}},"c":{{"enum":[1,2,3]}}}},)"
        R"("required":["a"]}}}})",
        i == 0 ? "" : ",", odd, i, i));
  }
  stdio.say("]}}");
}

// Each definition asks for the one before it twice.
std::string doubling_schema() {
  std::string definitions = R"("d0":{"type":"string"})";
  for (int i = 1; i <= kDoublings; ++i) {
    definitions += fmt::format(
        R"(,"d{0}":{{"allOf":[{{"$ref":"#/$defs/d{1}"}},{{"$ref":"#/$defs/d{1}"}}]}})", i, i - 1);
  }
  return fmt::format(
      R"({{"type":"object","$defs":{{{}}},"properties":{{"a":{{"$ref":"#/$defs/d{}"}}}}}})",
      definitions, kDoublings);
}

std::string one_tool(std::string_view schema, std::string_view more = "") {
  return fmt::format(
      R"({{"tools":[{{"name":"look","inputSchema":{}{},"annotations":{{"readOnlyHint":true}}}}]}})",
      schema, more);
}

// Sound, but for a tool whose answers have this structured content, and which says that they have
// this schema.
void serve_structured(Stdio& stdio, std::string_view schema, std::string_view content) {
  serve(stdio, [&](const wire::Message& message) {
    if (is_request(message, "tools/list") && is_first_page(message)) {
      stdio.say(result_text(
          message, one_tool(R"({"type":"object"})", fmt::format(R"(,"outputSchema":{})", schema))));
      return true;
    }
    if (!is_request(message, "tools/call") || text_member(message.params(), "name") != "look") {
      return false;
    }
    stdio.say(result_text(
        message,
        fmt::format(R"({{"content":[{{"type":"text","text":{}}}],"structuredContent":{}}})",
                    Json(content).dump(), content)));
    return true;
  });
}

constexpr std::string_view kBeginOfName =
    R"({"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"version":"1","name":")";

std::vector<Peer> long_ones() {
  return {
      {.name = "line-of-300-megabytes",
       .does = "Answers initialize with a line of 300 MB",
       .cause = "initialize|too long|larger|longer",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "initialize", [&](const wire::Message& message) {
               say_large(stdio, message, kBeginOfName, "n", kLineMegabytes, "\"}}");
             });
           }},
      {.name = "line-without-end",
       .does = "Begins an answer to initialize that never ends",
       .cause = "initialize|too long|larger|longer|more than",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "initialize", [&](const wire::Message& message) {
               stdio.write(result_head(message) + std::string(kBeginOfName));
               flood(stdio, "n");
             });
           }},
      {.name = "schema-of-50-megabytes",
       .does = "Lists a tool whose schema has 50 MB",
       .cause = "large|larger|bytes|budget",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "tools/list", [&](const wire::Message& message) {
               say_large(stdio, message,
                         R"({"tools":[{"name":"look","inputSchema":{"type":"object","enum":[{})",
                         R"(,{"a":1234567})", kSchemaMegabytes, "]}}]}");
             });
           }},
      {.name = "ten-thousand-tools",
       .does = "Lists ten thousand tools on one page",
       .cause = "tools|large|larger|budget",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "tools/list",
                       [&](const wire::Message& message) { say_many_tools(stdio, message); });
           }},
      {.name = "ten-thousand-odd-names",
       .does =
           "Lists ten thousand tools whose names are markup, turned text and a long row of blanks",
       .cause = "tools|large|larger|budget",
       .breaks = {"tools.name-characters", "tools.name-without-special-characters",
                  "tools.name-length"},
       .stdio =
           [](Stdio& stdio) {
             constexpr std::string_view kOdd = R"( <b>\"]]>&\u202e\u0007)";
             serve_but(stdio, "tools/list", [&](const wire::Message& message) {
               say_many_tools(stdio, message, std::string(kOdd) + std::string(200, ' '));
             });
           }},
  };
}

std::vector<Peer> dense_ones() {
  return {
      {.name = "deep-nesting",
       .does = "Lists a tool whose schema is nested 200,000 deep",
       .cause = "nest|deep",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "tools/list", [&](const wire::Message& message) {
               stdio.say(result_text(message, one_tool(repeated(R"({"not":)", kNesting) + "true" +
                                                       repeated("}", kNesting))));
             });
           }},
      {.name = "many-small-values",
       .does = "Answers initialize with 40 MB of empty arrays",
       .cause = "values|large|larger|budget",
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "initialize", [&](const wire::Message& message) {
               say_large(
                   stdio, message,
                   R"({"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":{"y":[[])",
                   ",[]", kValueMegabytes,
                   R"(]}}},"serverInfo":{"name":"hostile-peer","version":"1"}})");
             });
           }},
      {.name = "batch-of-a-million",
       .does = "Answers initialize in a batch of a million answers",
       .cause = "initialize|batch|large|larger|values|members",
       .breaks = {"jsonrpc.batch-send", "lifecycle.respects-negotiated-version"},
       .stdio =
           [](Stdio& stdio) {
             serve_but(stdio, "initialize", [&](const wire::Message& message) {
               stdio.write("[" + result_text(message, initialize_result()));
               const std::string block =
                   repeated(R"(,{"jsonrpc":"2.0","id":"no","result":{}})", 10'000);
               for (int i = 0; i < 100; ++i) stdio.write(block);
               stdio.say("]");
             });
           }},
      {.name = "schema-that-doubles",
       .does = "Lists a tool whose schema takes 2 to the 40 steps to evaluate",
       .cause = "schema",
       .stdio = [](Stdio& stdio) { serve_structured(stdio, doubling_schema(), R"({"a":"b"})"); }},
      {.name = "pattern-that-backtracks",
       .does = "Answers a call with a text on which the pattern of its schema backtracks for ever",
       .cause = "pattern|schema|structured",
       .breaks = {"tools.structured-content-conforms"},
       .stdio =
           [](Stdio& stdio) {
             serve_structured(
                 stdio,
                 R"({"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}})",
                 fmt::format(R"({{"a":"{}!"}})", std::string(64, 'a')));
           }},
  };
}

}  // namespace

std::vector<Peer> bomb_peers() {
  std::vector<Peer> peers = long_ones();
  for (Peer& peer : dense_ones()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
