#include "harness/programs/reference_client_acts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

#include "harness/interop/client_word.h"
#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

// Of what it says in the file: errors of servers may be long.
constexpr std::size_t kLongestWhy = 500;

using harness::member;
using harness::text_member;

constexpr std::size_t kLongestReason = 200;
// A call is given up once it has begun to report progress, or after this time.
constexpr std::chrono::milliseconds kBeforeGivingUp{150};
constexpr std::string_view kUpdated = "notifications/resources/updated";
constexpr std::string_view kListens = "notifications/subscriptions/acknowledged";

struct List {
  std::string_view capability;
  std::string_view method;
  const char* key;
};
constexpr std::array kLists = {List{"tools", "tools/list", "tools"},
                               List{"resources", "resources/list", "resources"},
                               List{"resources", "resources/templates/list", "resourceTemplates"},
                               List{"prompts", "prompts/list", "prompts"}};

// What happens once, for who waits for it.
class Moment {
 public:
  void come() {
    const std::lock_guard lock(mutex_);
    ++times_;
    changed_.notify_all();
  }
  void wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return times_ > 0; });
  }
  int times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  std::mutex mutex_;  // guards times_
  std::condition_variable changed_;
  int times_ = 0;
};

}  // namespace

void tell_that_it_does_not_connect(const std::string& why) {
  const char* log = std::getenv(harness::kActsLogVariable);
  if (log == nullptr || std::getenv(harness::kActsVariable) == nullptr) return;
  std::ofstream(log, std::ios::app)
      << harness::client_word("connect", false, reports::cut(why, kLongestWhy));
}

void ReferenceClientActs::run(const Json& plan) {
  for (const Json& errand : plan) {
    const std::string name(text_member(errand, "act"));
    if (name.empty()) continue;
    if (session_.closed()) return;
    const Went went = act(name, errand);
    const std::optional<bool> ok = went ? std::optional(went->empty()) : std::nullopt;
    fmt::print("  {:<12} {}\n", reports::printable_line(name.substr(0, 40)),
               !went           ? "cannot be done here"
               : went->empty() ? "done"
                               : reports::printable_line(*went));
    if (log_.empty()) continue;
    std::ofstream(log_, std::ios::app) << harness::client_word(name, ok, went.value_or(""));
  }
}

ReferenceClientActs::Went ReferenceClientActs::act(std::string_view name, const Json& errand) {
  if (name == "connect") return "";
  if (name == "list") return list();
  if (name == "page") return page();
  if (name == "call" || name == "sample" || name == "elicit" || name == "resume") {
    return call(errand);
  }
  if (name == "expire") {
    Went went = call(errand);
    return went->empty() ? call(errand) : went;
  }
  if (name == "progress") return progress(errand);
  if (name == "cancel") return cancel(errand);
  if (name == "subscribe") return subscribe(errand);
  if (name == "read") return ask("resources/read", {{"uri", member(errand, "uri")}});
  if (name == "prompt") {
    return ask("prompts/get",
               {{"name", member(errand, "prompt")}, {"arguments", member(errand, "arguments")}});
  }
  if (name == "complete") {
    return ask("completion/complete",
               {{"ref", member(errand, "ref")}, {"argument", member(errand, "argument")}});
  }
  return std::nullopt;
}

ReferenceClientActs::Went ReferenceClientActs::list() {
  const Json server = session_.server();
  const Json& declared = member(server, "capabilities");
  for (const List& each : kLists) {
    if (member(declared, each.capability).is_null()) continue;
    client::ListOutcome listed = session_.list_all(each.method, each.key, deadline());
    if (!listed.is_complete) return why(each.method, listed.last);
    if (each.method == "tools/list") on_tools_(listed.items);
    most_pages_ = std::max(most_pages_, listed.pages);
  }
  return "";
}

ReferenceClientActs::Went ReferenceClientActs::page() const {
  if (most_pages_ > 1) return "";
  return std::nullopt;
}

Json ReferenceClientActs::call_params(const Json& errand) {
  return {{"name", member(errand, "tool")}, {"arguments", member(errand, "arguments")}};
}

ReferenceClientActs::Went ReferenceClientActs::call(const Json& errand) {
  return why("tools/call", call_tool(session_, call_params(errand), patience_, on_tools_));
}

ReferenceClientActs::Went ReferenceClientActs::progress(const Json& errand) {
  const auto reported = std::make_shared<Moment>();
  client::RequestOptions options;
  options.on_progress = [reported](const Json&) { reported->come(); };
  const client::ServerAnswer reply =
      session_.request("tools/call", call_params(errand), deadline(), std::move(options));
  if (std::string trouble = why("tools/call", reply); !trouble.empty()) return trouble;
  return reported->times() > 0 ? "" : "no progress was reported";
}

ReferenceClientActs::Went ReferenceClientActs::cancel(const Json& errand) {
  const auto reported = std::make_shared<Moment>();
  client::RequestOptions options;
  options.on_progress = [reported](const Json&) { reported->come(); };
  const wire::Id id = session_.start(
      "tools/call", call_params(errand), deadline(), [](const client::ServerAnswer&) {},
      std::move(options));
  reported->wait(kBeforeGivingUp);
  session_.cancel(id, "it is of no interest any more");
  return is_alive();
}

ReferenceClientActs::Went ReferenceClientActs::is_alive() {
  if (session_.revision()->has_ping()) return ask("ping", Json::object());
  return ask("tools/list", Json::object());
}

ReferenceClientActs::Went ReferenceClientActs::subscribe(const Json& errand) {
  const Json uri = member(errand, "uri");
  heard_.forget(kUpdated);
  if (session_.revision()->has_subscribe()) {
    const auto reply = session_.request("resources/subscribe", {{"uri", uri}}, deadline());
    if (std::string trouble = why("resources/subscribe", reply); !trouble.empty()) return trouble;
  } else {
    heard_.forget(kListens);
    const Json filter = {{"resourceSubscriptions", Json::array({uri})}};
    session_.start("subscriptions/listen", {{"notifications", filter}}, deadline(),
                   [](const client::ServerAnswer&) {});
    heard_.wait_for(kListens, deadline());
  }
  if (Went went = call(errand); !went->empty()) return went;
  heard_.wait_for(kUpdated, deadline());
  return heard_.has(kUpdated) ? "" : "no notification came that the resource was updated";
}

ReferenceClientActs::Went ReferenceClientActs::ask(std::string_view method, const Json& params) {
  return why(method, session_.request(method, params, deadline()));
}

std::string ReferenceClientActs::why(std::string_view method, const client::ServerAnswer& reply) {
  const auto shown = [](std::string_view text) {
    return reports::printable_line(reports::cut(text, kLongestReason));
  };
  if (reply.is_result()) {
    return member(reply.json, "isError") == true ? fmt::format("{}: the tool failed", method) : "";
  }
  if (reply.is_error()) {
    return fmt::format("{}: error {}: {}", method, reply.error_code().value_or(0),
                       shown(text_member(reply.json, "message")));
  }
  return fmt::format("{}: {}", method, shown(reply.detail));
}

}  // namespace assay::cli
