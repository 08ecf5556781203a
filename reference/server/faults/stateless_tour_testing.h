// A tour through what the stateless era has, which goes otherwise with each fault.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/handlers.h"
#include "reference/server/stateless_testing.h"

namespace assay::server {

// What is wrong with extensions shows where their scenarios are played: the tour uses none.
inline bool is_of_stateless_era_alone(const Fault& fault) {
  const bool is_of_extension =
      std::any_of(fault.breaks.begin(), fault.breaks.end(),
                  [](std::string_view requirement) { return requirement.starts_with("ext-"); });
  return !is_of_extension && fault.concerns_any(model::Revision::stateless()) &&
         !fault.concerns_any(model::Revision::handshake());
}

// It looks at what a request must carry for some methods only, or shows in one place out of many.
// Or it spoils what a tour reads.
inline bool is_of_one_method(std::string_view id) {
  const auto has = [&](const std::vector<Fault>& table) {
    return std::any_of(table.begin(), table.end(),
                       [&](const Fault& fault) { return fault.id == id; });
  };
  return has(stateless_method_faults()) || has(stateless_seldom_faults()) ||
         has(stateless_second_way_faults()) || has(stateless_further_faults());
}

inline Json all_capabilities() {
  return {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
          {"sampling", Json::object()},
          {"roots", Json::object()}};
}

// State and random ids differ from run to run.
inline void forget_state(Json& message) {
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
    for (const char* version :
         {"1900-01-01", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"}) {
      Json params = with_meta();
      params["_meta"][kProtocolVersionKey] = version;
      ask("prompts/list", params);
    }
    Json loud = with_meta();
    loud["_meta"][kLogLevelKey] = "loud";
    ask("prompts/list", loud);
    loud["_meta"][kLogLevelKey] = "WARNING";
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
    call(tool, {{"elicitation", {{"url", Json::object()}}}});
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
    const auto changed_at = [&](std::size_t at) {
      return state.substr(0, at) + "!" + state.substr(at + 1);
    };
    for (const std::string& other :
         {changed_at(state.size() - 1), changed_at(0), changed_at(state.size() / 2),
          state.substr(0, state.size() - 1)}) {
      altered["result"]["requestState"] = other;
      retry(tool, altered, confirmed);
    }
    retry("test_input_required_result_request_state", asked, confirmed);
    retry(tool, asked, confirmed);
  }

  const Step step_;
  int id_ = 0;
};

}  // namespace assay::server
