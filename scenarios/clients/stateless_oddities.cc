// Odd and harmless things that come beside the pages of a list: cancellations that nobody can use,
// a log on standard error, a server that goes by another name. Who read on before reads on.
//
// Specification of 2026-07-28: basic/patterns/cancellation, "Error Handling"; basic,
// "Notifications" and "_meta"; basic/transports/stdio.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/odd_pages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// What comes ahead of a page.
struct Beside {
  std::optional<RequirementId> rule;
  std::string_view what;
};
constexpr std::size_t kLatePage = 2;
constexpr std::array<Beside, 4> kBeside = {{
    // A notification, and over HTTP a stream of events: who stops here is not asked about the rest.
    {std::nullopt, "a notification that does not exist"},
    {RequirementId("cancellation.unknown-ignored"),
     "the cancellation of a request that it never had"},
    {RequirementId("cancellation.completed-ignored"),
     "the cancellation of a request that was answered"},
    {RequirementId("cancellation.malformed-ignored"),
     "a cancellation whose request id is an object"},
}};

Json made_notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}
Json cancellation_of(Json id) {
  return made_notification("notifications/cancelled", {{"requestId", std::move(id)}});
}

// Ahead of each page but the last comes a notification that the client can do nothing with.
class OddNotificationsPlay : public OddPagesPlay {
 public:
  OddNotificationsPlay()
      : OddPagesPlay({{"second"}, {"third"}, {"fourth"}, {"fifth"}, {std::nullopt}}) {}

  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list")) return;
    const Json id = wire::to_json(*visit.message().id());
    const Json& cursor = member(visit.message().params(), "cursor");
    // Each time: who cannot read it and asks again gets no further.
    if (cursor.is_null()) {
      first_ = id;
      visit.say(made_notification("notifications/assay", {{"odd", true}}));
    }
    if (cursor == "second") visit.say(cancellation_of("assay-nobody"));
    // Ids may be used again once they are answered: then it would mean what is still open.
    is_late_told_ = is_late_told_ || (cursor == "third" && id != first_);
    if (cursor == "third" && id != first_) visit.say(cancellation_of(first_));
    if (cursor == "fourth") visit.say(cancellation_of({{"odd", true}}));
    OddPagesPlay::on_message(visit);
  }

  void review(Review& review) override {
    EventPtr before = asked_behind(review, 0);
    review_responses(review, before);
    for (std::size_t page = 1; page < kBeside.size(); ++page) {
      const EventPtr went_on = asked_behind(review, page);
      const RequirementId rule = *kBeside[page].rule;
      if (before == nullptr) {
        review.not_exercised(rule, "the client did not read all pages");
      } else if (page == kLatePage && !is_late_told_) {
        review.not_exercised(rule, "the client used the id of its first request again");
      } else if (went_on != nullptr) {
        review.held(rule, went_on);
      } else {
        review.fell_silent(rule, fmt::format("the client fell silent over {}", kBeside[page].what),
                           {before});
      }
      before = went_on;
    }
  }

 private:
  // Nobody asks a client anything here: what it answers without an id answers a notification.
  static void review_responses(Review& review, const EventPtr& went_on) {
    constexpr RequirementId kRule("jsonrpc.notification-no-response");
    EventPtr notification;
    for (const Said& said : review.server()) {
      const bool is_it = said.message.method() == "notifications/assay";
      if (is_it && notification == nullptr) notification = said.event;
    }
    if (notification == nullptr) {
      return review.not_exercised(kRule, "the client did not list the tools");
    }
    for (const Said& said : review.client()) {
      const bool is_answer = said.message.kind() == wire::MessageKind::kResult ||
                             said.message.kind() == wire::MessageKind::kError;
      const auto& id = said.message.id();
      if (!is_answer || (id && id->kind() != wire::Id::Kind::kNull)) continue;
      return review.broke(kRule, "the client answered a notification", {notification, said.event});
    }
    if (went_on != nullptr) {
      review.held(kRule, went_on);
    } else {
      review.not_exercised(kRule, "the client asked for nothing after a notification");
    }
  }

  Json first_;  // the id of the latest request for the first page
  bool is_late_told_ = false;
};

const ClientScenarioRegistration kOddNotifications(
    {.name = "odd-notifications",
     .task = "lists all tools, over five pages, and meets notifications of no use meanwhile",
     .requirements = {"jsonrpc.notification-no-response", "cancellation.unknown-ignored",
                      "cancellation.completed-ignored", "cancellation.malformed-ignored"},
     .make = make_play<OddNotificationsPlay>,
     .concerns = &model::Revision::is_stateless});

// Four pages, of which something odd belongs to the third.
class OddThirdPagePlay : public OddPagesPlay {
 public:
  explicit OddThirdPagePlay(std::vector<OddPage> pages) : OddPagesPlay(std::move(pages)) {}

 protected:
  void review_third(Review& review, RequirementId rule, const char* what) const {
    const EventPtr paging = proof_of_paging(review);
    if (const EventPtr went_on = asked_behind(review, 2)) {
      review.held(rule, went_on);
    } else if (paging != nullptr) {
      review.fell_silent(
          rule, fmt::format("the client read two pages further, and stopped after {}", what),
          {paging});
    } else {
      review.not_exercised(rule, "the client did not read all pages");
    }
  }
};

class LoggingPagesPlay : public OddThirdPagePlay {
 public:
  LoggingPagesPlay() : OddThirdPagePlay({{"second"}, {"third"}, {"fourth"}, {std::nullopt}}) {}

  // Before the third page is answered, as everything is told before it is read.
  std::string_view log() const override {
    return is_paging_ ? "ERROR: the configuration has no colour\n"
                        "Traceback (most recent call last):\nfatal: not really\n"
                      : "";
  }
  void on_message(Visit& visit) override {
    is_paging_ = is_paging_ || member(visit.message().params(), "cursor") == "second";
    OddPagesPlay::on_message(visit);
  }
  void review(Review& review) override {
    review_third(review, "stdio.stderr-is-no-error", "what the server wrote to its standard error");
  }

 private:
  bool is_paging_ = false;
};

const ClientScenarioRegistration kLoggingPages(
    {.name = "server-logs-between-pages",
     .task = "lists all tools, over four pages, of a server that writes to its standard error",
     .requirements = {"stdio.stderr-is-no-error"},
     .make = make_play<LoggingPagesPlay>,
     .concerns = &model::Revision::is_stateless,
     .transports = {harness::TransportKind::kStdio}});

class OtherNamePlay : public OddThirdPagePlay {
 public:
  OtherNamePlay() : OddThirdPagePlay(pages()) {}

  void review(Review& review) override {
    review_third(review, "meta.info-no-behavior", "one that comes with another name of the server");
  }

 private:
  static Json info(const char* name, const char* version) {
    return {{"io.modelcontextprotocol/serverInfo", {{"name", name}, {"version", version}}}};
  }
  static std::vector<OddPage> pages() {
    const Json plain = info("assay", "1.0.0");
    const Json other = info("assay-elsewhere", "0.0.1-broken");
    return {{"second", "complete", plain},
            {"third", "complete", plain},
            {"fourth", "complete", other},
            {std::nullopt, "complete", other}};
  }
};

const ClientScenarioRegistration kOtherName(
    {.name = "server-renamed",
     .task = "lists all tools, over four pages, of a server that calls itself by two names",
     .requirements = {"meta.info-no-behavior"},
     .make = make_play<OtherNamePlay>});

}  // namespace
}  // namespace assay::scenarios
