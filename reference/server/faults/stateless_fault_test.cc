// Every fault of the stateless era shows: a tour through what the era has goes otherwise with it.
#include <gtest/gtest.h>

#include "reference/server/faults/faulty_server.h"
#include "reference/server/handlers.h"
#include "reference/server/http_testing.h"
#include "reference/server/stateless_testing.h"

namespace assay::server {
namespace {

bool is_of_stateless_era_alone(const Fault& fault) {
  return fault.concerns_any(model::Revision::stateless()) &&
         !fault.concerns_any(model::Revision::handshake());
}

Json all_capabilities() {
  return {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
          {"sampling", Json::object()},
          {"roots", Json::object()}};
}

// State and random ids differ from run to run.
void forget_state(Json& message) {
  if (message.is_object()) {
    for (auto& [key, value] : message.items()) {
      if (key == "requestState") value = "state";
      forget_state(value);
    }
  } else if (message.is_array()) {
    for (Json& item : message) forget_state(item);
  }
}

// What is asked on the tour. `{state of NAME}` stands for the requestState that the tool NAME gave
// last.
class Tour {
 public:
  using Step = std::function<Json(Json request)>;  // gives the response, or null

  explicit Tour(Step step) : step_(std::move(step)) {}

  void walk() {
    ask("prompts/list");
    lists();
    refusals();
    calls();
    rounds();
    second_thoughts();
    call("test_input_required_result_elicitation", {{"elicitation", Json::object()}});
    lists();
  }
  // What is of interest where only headers and statuses can go wrong.
  void walk_briefly() {
    lists();
    refusals();
    call("test_missing_capability");
    lists();
  }
  // All pages of a list. Gives the last cursor.
  Json walk_pages(const std::string& method, Json cursor = nullptr) {
    for (int page = 0; page < 40; ++page) {
      const Json params = cursor.is_null() ? Json::object() : Json{{"cursor", cursor}};
      const Json next = member(member(ask(method, with_meta(params)), "result"), "nextCursor");
      if (!next.is_string()) break;
      cursor = next;
    }
    return cursor;
  }

 private:
  Json ask(const std::string& method, Json params = with_meta()) {
    return step_({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
  }
  Json call(const std::string& tool, Json capabilities = Json::object(),
            Json more = Json::object()) {
    return ask("tools/call", calling(tool, std::move(capabilities), std::move(more)));
  }

  void lists() {
    ask("server/discover");
    for (const char* method :
         {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
      walk_pages(method);
    }
    ask("resources/read", with_meta({{"uri", "test://static-text"}}));
    for (const char* uri : {"test://no-such-resource", "file:///assay/files/../../etc/hosts",
                            "file:///assay/files/..%2F..%2Fetc/hosts"}) {
      ask("resources/read", with_meta({{"uri", uri}}));
    }
    Json marked = with_meta();
    marked["_meta"]["io.mcp.assay/value"] = true;
    ask("prompts/list", marked);
    ask("completion/complete",
        with_meta({{"ref", {{"type", "ref/prompt"}, {"name", "test_prompt_with_arguments"}}},
                   {"argument", {{"name", "arg1"}, {"value", "a"}}}}));
  }

  void refusals() {
    ask("ping");
    ask("no/such");
    ask("initialize");
    ask("tools/list", Json::object());
    for (const char* key : {kProtocolVersionKey, kClientCapabilitiesKey}) {
      Json params = with_meta();
      params["_meta"].erase(key);
      ask("prompts/list", params);
    }
    for (const char* version : {"1900-01-01", "2099-01-01"}) {
      Json params = with_meta();
      params["_meta"][kProtocolVersionKey] = version;
      ask("prompts/list", params);
    }
    Json loud = with_meta();
    loud["_meta"][kLogLevelKey] = "loud";
    ask("prompts/list", loud);
    call("no_such_tool");
  }

  void calls() {
    for (const char* tool : {"test_simple_text", "test_structured_array", "test_structured_number",
                             "test_structured_null"}) {
      call(tool);
    }
    Json logging = calling("test_logging_tool");
    logging["_meta"][kLogLevelKey] = "debug";
    ask("tools/call", logging);
    call("test_logging_tool");
    Json progress = calling("test_streaming_elicitation", all_capabilities());
    progress["_meta"]["progressToken"] = "token";
    ask("tools/call", progress);
    for (const char* name : {"first", "second"}) {
      Json params = with_meta();
      params["_meta"][kClientInfoKey] = {{"name", name}, {"version", "1"}};
      ask("prompts/list", params);
    }
  }

  // A retry with these answers, and with the state of `asked`.
  Json retry(const std::string& tool, const Json& asked, Json responses) {
    Json more = {{"inputResponses", std::move(responses)}};
    const Json state = member(member(asked, "result"), "requestState");
    if (state.is_string()) more["requestState"] = state;
    return call(tool, all_capabilities(), std::move(more));
  }

  void rounds() {
    const std::string tool = "test_input_required_result_elicitation";
    const auto prefixed = [](const char* rest) {
      return std::string("test_input_required_result_") + rest;
    };
    for (const char* rest : {"elicitation", "sampling", "list_roots", "multiple_inputs",
                             "multi_round", "capabilities", "url", "defaults", "state_only"}) {
      call(prefixed(rest), all_capabilities());
      call(prefixed(rest));
    }
    call(prefixed("capabilities"), {{"roots", Json::object()}});
    call(prefixed("url"), {{"elicitation", Json::object()}});
    const Json accepted = {{"action", "accept"}, {"content", {{"name", "Ada"}}}};
    for (const Json& answer : {accepted, Json{{"action", "decline"}}, Json{{"action", "cancel"}},
                               Json(5), Json{{"action", "accept"}, {"content", {{"name", 5}}}}}) {
      retry(tool, nullptr, {{"user_name", answer}});
    }
    retry(tool, nullptr, Json::object());
    retry(tool, nullptr, {{"user_name", accepted}, {"unasked", {{"x", 1}}}});
    retry(prefixed("list_roots"), nullptr, {{"roots_request", {{"roots", Json::array()}}}});
  }

  void second_thoughts() {
    const std::string tool = "test_input_required_result_tampered_state";
    const Json confirmed = {{"confirm", {{"action", "accept"}, {"content", {{"ok", true}}}}}};
    const Json asked = call(tool, all_capabilities());
    Json altered = asked;
    const std::string state =
        string_member(member(altered, "result"), "requestState").value_or("00");
    altered["result"]["requestState"] = state.substr(0, state.size() - 1) + "!";
    retry(tool, altered, confirmed);
    retry("test_input_required_result_request_state", asked, confirmed);
    retry(tool, asked, confirmed);
  }

  const Step step_;
  int id_ = 0;
};

// Keeps what was sent, as text, and what the last response was.
class TellingSink : public transport::Sink {
 public:
  void send(transport::Outgoing message) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(message.bytes);
    if (message.kind != transport::Outgoing::Kind::kNotification) {
      last_ = Json::parse(message.bytes, nullptr, false);
    }
  }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  Json take_last() {
    const std::lock_guard lock(mutex_);
    return std::exchange(last_, Json());
  }

 private:
  mutable std::mutex mutex_;  // guards both
  std::vector<std::string> texts_;
  Json last_;
};

// What the client of a tour hears over a pipe. Every tool on the way answers at once.
std::vector<std::string> heard_over_pipe(const Faults& faults, std::chrono::milliseconds ttl) {
  Options options;
  options.page_size = 7;
  options.state_ttl = ttl;
  turn_switches(faults, options);
  Server good(options);
  FaultyServer server(good, faults);
  const auto sink = std::make_shared<TellingSink>();
  auto session = server.open(transport::WireKind::kStdio, sink);
  const auto send = [&](const Json& message) {
    session->receive(wire::decode(message.dump()), sink);
  };
  Tour tour([&](const Json& request) {
    sink->take_last();
    send(request);
    return sink->take_last();
  });
  tour.walk();
  const Json cursor = tour.walk_pages("tools/list");
  // Another connection, which goes on where the first one was.
  session->close();
  session = server.open(transport::WireKind::kStdio, sink);
  tour.walk_pages("tools/list", cursor);
  const Json change = {{"jsonrpc", "2.0"}, {"id", 901}, {"method", "tools/call"}};
  for (const auto& [id, filter] : std::vector<std::pair<Json, Json>>{
           {"all",
            {{"toolsListChanged", true},
             {"resourcesListChanged", true},
             {"promptsListChanged", true}}},
           {902, {{"toolsListChanged", true}}},
           {"some", {{"resourceSubscriptions", {"test://watched-resource"}}}}}) {
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"method", "subscriptions/listen"},
          {"params", with_meta({{"notifications", filter}})}});
  }
  for (const char* tool : {"test_trigger_tool_change", "test_trigger_prompt_change",
                           "test_trigger_resource_change", "test_trigger_resource_update"}) {
    Json call = change;
    call["params"] = calling(tool);
    send(call);
  }
  session->close();
  std::vector<std::string> heard;
  for (const std::string& text : sink->texts()) {
    Json message = Json::parse(text, nullptr, false);
    // A duplicate key is in the text alone.
    const std::string size = std::to_string(std::count(text.begin(), text.end(), ':'));
    forget_state(message);
    heard.push_back(message.dump() + size);
  }
  return heard;
}

TEST(StatelessFaults, ShowOverAPipe) {
  const auto soon = std::chrono::milliseconds(-1);  // state is of no use as soon as it is given
  const auto good = heard_over_pipe({}, std::chrono::minutes(1));
  const auto expiring = heard_over_pipe({}, soon);
  ASSERT_EQ(good, heard_over_pipe({}, std::chrono::minutes(1)));
  int tried = 0;
  for (const Fault& fault : all_faults()) {
    if (!is_of_stateless_era_alone(fault) || fault.seen_over == SeenOver::kHttpOnly) continue;
    // Nobody on the tour has two questions open; the matrix has.
    if (fault.id == "one-question-at-a-time") continue;
    ++tried;
    const bool shows = heard_over_pipe({&fault}, std::chrono::minutes(1)) != good ||
                       heard_over_pipe({&fault}, soon) != expiring;
    EXPECT_TRUE(shows) << fault.id;
  }
  EXPECT_GE(tried, 120);
}

// --- HTTP ---

struct Heard {
  int status = 0;
  std::string headers;
  std::string body;
  friend bool operator==(const Heard&, const Heard&) = default;
};

class StatelessFaultsOverHttp : public HttpTest {
 protected:
  Exchange ask(const Json& request, const transport::Headers& more = {}) {
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
  Exchange remember(Exchange exchange) {
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
    ask(plain, {{"mcp-method", "tools/call"}});
    ask(plain, {{"Mcp-Name", "=?base64?dGVzdF9zaW1wbGVfdGV4dA==?="}});
    for (const char* origin : {"null", "http://evil.example"}) ask(plain, {{"Origin", origin}});
    ask(plain, {{"Mcp-Session-Id", "old"}, {"Last-Event-ID", "1-1"}});
    remember(other("GET", {{"MCP-Protocol-Version", "2026-07-28"}}));
    remember(other("DELETE", {{"MCP-Protocol-Version", "2026-07-28"}}));
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
    ask(custom({{"region", "west"}}));
    ask(custom({{"region", "west"}}), {{"Mcp-Param-Region", "=?base64?d2VzdA==?="}});
    ask(custom({{"region", "w\u00e9st"}}), {{"Mcp-Param-Region", "w\xC3\xA9st"}});
    ask(custom({{"count", 42}}), {{"Mcp-Param-Count", "42.0"}});
    ask(custom(Json::object()));
  }
  std::vector<Heard> walk(const std::vector<std::string>& ids) {
    heard_.clear();
    Options options;
    options.page_size = 7;
    start({}, ids, options);
    Tour([this](const Json& request) {
      const Exchange exchange = ask(request);
      const std::vector<Json> messages = exchange.messages();
      return messages.empty() ? exchange.json() : messages.back();
    }).walk_briefly();
    odd_headers();
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
    // No tour is long enough; and only some answers are streams, as it happens. The matrix has
    // both.
    if (fault.id == "disconnection-unnoticed" || fault.id == "proxies-unwarned") continue;
    ++tried;
    EXPECT_NE(walk({std::string(fault.id)}), good) << fault.id;
  }
  EXPECT_GE(tried, 40);
}

}  // namespace
}  // namespace assay::server
