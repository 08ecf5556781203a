// Judges the caching hints of results: that they are there, and that they fit each other.
//
// Specification of 2026-07-28: server/utilities/caching. Their form is the schema's.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

struct Cacheable {
  std::string_view method;
  RequirementId hints;
  // What the server says if it tells of changes; empty where nothing tells of them.
  std::string_view list_changed;
};

constexpr std::array kCacheable = {
    Cacheable{"server/discover", "caching.hints-on-discover", ""},
    Cacheable{"tools/list", "caching.hints-on-tools-list", "tools.listChanged"},
    Cacheable{"prompts/list", "caching.hints-on-prompts-list", "prompts.listChanged"},
    Cacheable{"resources/list", "caching.hints-on-resources-list", "resources.listChanged"},
    Cacheable{"resources/templates/list", "caching.hints-on-resources-templates-list",
              "resources.listChanged"},
    Cacheable{"resources/read", "caching.hints-on-resources-read", ""},
};

// A page that a client may go on from.
struct Page {
  EventPtr event;
  std::string scope;
  Json ttl;
};

// Hostile servers may give as many cursors as they like.
constexpr std::size_t kMostPages = 4096;

class CachingMonitor : public Monitor {
 public:
  std::string_view name() const override { return "caching_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    std::vector<RequirementId> all = {
        "caching.ttl-not-negative", "caching.ttl-without-list-changed",
        "caching.ttl-with-list-changed", "caching.page-ttl-differs", "caching.scope-same-on-pages"};
    for (const Cacheable& each : kCacheable) all.push_back(each.hints);
    return all;
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result() || sighting.exchange == nullptr) return;
    const Json& result = sighting.message.result();
    // What is not complete is not cached.
    if (text_member(result, "resultType") != "complete") return;
    const std::string_view method = sighting.exchange->request.method();
    const auto found = std::find_if(kCacheable.begin(), kCacheable.end(),
                                    [&](const Cacheable& each) { return each.method == method; });
    if (found == kCacheable.end()) return;
    judge_hints(*found, result, sighting, session, judge);
    judge_page(method, result, sighting, judge);
  }

 private:
  static void judge_hints(const Cacheable& cacheable, const Json& result, const Sighting& sighting,
                          const SessionView& session, Judge& judge) {
    const bool has_ttl = result.contains("ttlMs");
    const bool has_scope = result.contains("cacheScope");
    judge.check(cacheable.hints, has_ttl && has_scope,
                has_ttl     ? "the result has no cacheScope"
                : has_scope ? "the result has no ttlMs"
                            : "the result has neither ttlMs nor cacheScope",
                sighting.event, "/result");
    const Json& ttl = member(result, "ttlMs");
    if (!ttl.is_number()) return;
    judge.check("caching.ttl-not-negative", ttl.get<double>() >= 0, "ttlMs is negative",
                sighting.event, "/result/ttlMs");
    if (cacheable.list_changed.empty() || session.server().is_null()) return;
    judge.held(session.server_declares(cacheable.list_changed)
                   ? RequirementId("caching.ttl-with-list-changed")
                   : RequirementId("caching.ttl-without-list-changed"),
               sighting.event);
  }

  // A page goes on from the latest one of the same list that gave its cursor.
  void judge_page(std::string_view method, const Json& result, const Sighting& sighting,
                  Judge& judge) {
    const std::string scope(text_member(result, "cacheScope"));
    const Json& cursor = member(sighting.exchange->request.params(), "cursor");
    if (cursor.is_string() && !scope.empty()) {
      const auto before = pages_.find({std::string(method), cursor.get<std::string>()});
      if (before != pages_.end()) judge_scope(before->second, scope, result, sighting, judge);
    }
    const Json& next = member(result, "nextCursor");
    if (!next.is_string() || scope.empty()) return;
    std::pair<std::string, std::string> key{method, next.get<std::string>()};
    if (pages_.size() >= kMostPages && !pages_.contains(key)) return;
    pages_.insert_or_assign(std::move(key), Page{sighting.event, scope, member(result, "ttlMs")});
  }

  static void judge_scope(const Page& before, const std::string& scope, const Json& result,
                          const Sighting& sighting, Judge& judge) {
    if (member(result, "ttlMs") != before.ttl) {
      judge.held("caching.page-ttl-differs", sighting.event);
    }
    const RequirementId rule("caching.scope-same-on-pages");
    if (scope == before.scope) {
      judge.held(rule, sighting.event);
    } else {
      judge.broke(rule, "the page has another cacheScope than the one before it",
                  {before.event, sighting.event}, "/result/cacheScope");
    }
  }

  std::map<std::pair<std::string, std::string>, Page> pages_;  // by method and cursor
};

const MonitorRegistration<CachingMonitor> kCachingMonitorRegistration;

}  // namespace
}  // namespace assay::harness
