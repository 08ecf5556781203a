// Every fault of the stateless era that HTTP alone shows does so on a shorter tour.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/server/faults/stateless_tour_testing.h"
#include "reference/server/http_testing.h"

namespace assay::server {
namespace {

struct Heard {
  int status = 0;
  std::string headers;
  std::string body;
  friend bool operator==(const Heard&, const Heard&) = default;
};

class StatelessFaultsOverHttp : public HttpTest {
 protected:
  SeenExchange ask(const Json& request, const transport::Headers& more = {}) {
    transport::Headers headers = {
        {"MCP-Protocol-Version",
         string_member(member(member(request, "params"), "_meta"), kProtocolVersionKey)
             .value_or("2026-07-28")},
        {"Mcp-Method", request.at("method").get<std::string>()}};
    const Json& params = member(request, "params");
    for (const char* source : {"name", "uri"}) {
      if (const auto name = string_member(params, source)) headers.emplace_back("Mcp-Name", *name);
    }
    for (const auto& [name, value] : more) {
      std::erase_if(headers, [&, &changed = name](const auto& header) {
        return transport::lower_case(header.first) == transport::lower_case(changed);
      });
      if (!value.empty()) headers.emplace_back(name, value);
    }
    return remember(post(request.dump(), headers));
  }
  SeenExchange remember(SeenExchange exchange) {
    Heard heard{exchange.status, "", ""};
    for (const auto& [name, value] : exchange.headers) {
      if (name != "Content-Length") heard.headers += name + ": " + value + "\n";
    }
    std::vector<Json> messages = exchange.messages();
    if (!exchange.body.empty()) messages.push_back(exchange.json());
    for (Json& message : messages) {
      forget_state(message);
      heard.body += message.dump();
    }
    heard_.push_back(std::move(heard));
    recorder_.forget();
    return exchange;
  }
  void odd_headers() {
    const Json plain = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "tools/call"},
                        {"params", calling("test_simple_text")}};
    for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
      ask(plain, {{name, ""}});
      ask(plain, {{name, "other"}});
    }
    ask(plain, {{"Mcp-Method", "Tools/Call"}});
    ask(plain, {{"Mcp-Name", "Test_Simple_Text"}});
    ask(plain, {{"Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?="}});
    ask(plain, {{"mcp-method", "tools/call"}});
    ask(plain, {{"Mcp-Name", "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?="}});
    for (const char* origin : {"null", "http://evil.example"}) ask(plain, {{"Origin", origin}});
    ask(plain, {{"Mcp-Session-Id", "old"}, {"Last-Event-ID", "1-1"}});
    ask(plain, {{"mcp-name", "test_simple_text"}});
    ask(plain, {{"mcp-protocol-version", "2026-07-28"}});
    remember(other("GET", {{"MCP-Protocol-Version", "2026-07-28"}}));
    remember(other("DELETE", {{"MCP-Protocol-Version", "2026-07-28"}}));
  }
  void odd_names() {
    struct Named {
      const char* method;
      const char* key;
      const char* name;
      const char* encoded;
    };
    for (const Named& each :
         {Named{"prompts/get", "name", "test_simple_prompt", "=?base64?dGVzdF9zaW1wbGVfcHJvbXB0?="},
          Named{"resources/read", "uri", "test://static-text",
                "=?base64?dGVzdDovL3N0YXRpYy10ZXh0?="}}) {
      const Json request = {{"jsonrpc", "2.0"},
                            {"id", 3},
                            {"method", each.method},
                            {"params", with_meta({{each.key, each.name}})}};
      for (const char* value : {"", "other", each.encoded}) ask(request, {{"Mcp-Name", value}});
    }
  }
  void odd_parameters() {
    const auto custom = [](Json arguments) {
      return Json{{"jsonrpc", "2.0"},
                  {"id", 2},
                  {"method", "tools/call"},
                  {"params", calling("test_custom_headers", Json::object(),
                                     {{"arguments", std::move(arguments)}})}};
    };
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "west"}});
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "east"}});
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "WEST"}});
    ask(custom({{"region", nullptr}}));
    ask(custom({{"region", "west"}}));
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "=?base64?d2VzdA==?="}});
    ask(custom({{"region", "w\u00e9st"}}), {{"Mcp-Param-Region", "w\xC3\xA9st"}});
    ask(custom({{"region", "w\u00e9st"}}), {{"Mcp-Param-Region", "=?base64?d8Opc3Q=?="}});
    ask(custom({{"region", " west"}}), {{"Mcp-Param-Region", "=?base64?IHdlc3Q=?="}});
    ask(custom({{"region", "=?base64?d2VzdA==?="}}),
        {{"Mcp-Param-Region", "=?base64?PT9iYXNlNjQ/ZDJWemRBPT0/PQ==?="}});
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "=?BASE64?d2VzdA==?="}});
    for (const char* value : {"42.0", "42", "42abc", "43", "", "=?base64?NDI=?="}) {
      ask(custom({{"count", 42}}), {{"Mcp-Param-Count", value}});
    }
    for (const char* value : {"true", "TRUE", "false", ""}) {
      ask(custom({{"exact", true}}), {{"Mcp-Param-Exact", value}});
    }
    for (const char* value : {"Paris", "Rome", "", "=?base64?UGFyaXM=?="}) {
      ask(custom({{"place", {{"city", "Paris"}}}}), {{"Mcp-Param-City", value}});
    }
    ask(custom(Json::object()));
  }
  std::vector<Heard> walk(const std::vector<std::string>& ids) {
    heard_.clear();
    Options options;
    options.page_size = 7;
    start({}, ids, options);
    Tour([this](const Json& request) {
      const SeenExchange exchange = ask(request);
      const std::vector<Json> messages = exchange.messages();
      return messages.empty() ? exchange.json() : messages.back();
    }).walk_briefly();
    odd_headers();
    odd_names();
    odd_parameters();
    TearDown();
    recorder_.forget();
    return heard_;
  }

  std::vector<Heard> heard_;
};

TEST_F(StatelessFaultsOverHttp, Show) {
  const std::vector<Heard> good = walk({});
  int tried = 0;
  for (const Fault& fault : all_faults()) {
    if (!is_of_stateless_era_alone(fault) || fault.seen_over != SeenOver::kHttpOnly) continue;
    // No tour is long enough; only some answers are streams, as it happens; and a tour does not
    // wait for the end of one, nor ask oddly by each method. The matrix has all of it.
    if (is_of_one_method(fault.id)) continue;
    if (fault.id == "disconnection-unnoticed" || fault.id == "proxies-unwarned" ||
        fault.id == "progress-late-on-other-stream" || fault.leaves_streams_open) {
      continue;
    }
    if (fault.needs_protection) continue;  // nor does it ask for tokens
    ++tried;
    EXPECT_NE(walk({std::string(fault.id)}), good) << fault.id;
  }
  EXPECT_GE(tried, 40);
}

}  // namespace
}  // namespace assay::server
