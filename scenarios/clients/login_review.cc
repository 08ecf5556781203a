#include "scenarios/clients/login_review.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/host/office.h"
#include "harness/script/json_member.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"
#include "scenarios/clients/login_sums.h"

namespace assay::scenarios {
namespace {

using harness::EventPtr;
using Observed = transport::Observation::Kind;

// Of metadata and token responses; no sound one is longer.
constexpr std::size_t kMostJsonBytes = 256u << 10;

Json json_of(const EventPtr& event) {
  if (event == nullptr || event->observation.bytes().size() > kMostJsonBytes) return nullptr;
  return wire::parse_of_peer(event->observation.bytes());
}

bool is_metadata_of_server(std::string_view path) {
  return path.find("/.well-known/oauth-authorization-server") != std::string_view::npos ||
         path.find("/.well-known/openid-configuration") != std::string_view::npos;
}

}  // namespace

wire::Form LoginStep::query() const {
  const std::string_view target = head().target;
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? wire::Form() : wire::read_form(target.substr(mark + 1));
}

Json LoginStep::sent_json() const {
  return json_of(request);
}

Json LoginStep::received_json() const {
  return json_of(body);
}

std::vector<EventPtr> LoginStep::events() const {
  std::vector<EventPtr> out = {request};
  if (response != nullptr) out.push_back(response);
  if (body != nullptr) out.push_back(body);
  return out;
}

LoginReview::LoginReview(harness::Review& review, const harness::Venue& venue, bool is_own_office,
                         bool binds_tokens)
    : review_(review), venue_(venue), is_own_office_(is_own_office) {
  std::vector<EventPtr> events(review.beside().begin(), review.beside().end());
  for (const harness::RecordedSession& session : review.sessions()) {
    events.insert(events.end(), session.events.begin(), session.events.end());
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const EventPtr& a, const EventPtr& b) { return a->at < b->at; });
  std::map<transport::Lane, std::size_t> places;
  for (const EventPtr& event : events) {
    const auto& seen = event->observation;
    if (seen.kind == Observed::kHttpRequest && seen.http() != nullptr) {
      places[seen.lane] = steps_.size();
      LoginStep& step = steps_.emplace_back();
      step.request = event;
      step.office = static_cast<int>(seen.lane.number / harness::Office::kLanes);
      step.is_at_office = step.office > 0;
      step.binds_tokens = binds_tokens;
      step.path = wire::path_in(seen.http()->target);
      const bool is_post = seen.http()->method == "POST";
      step.asked = is_post ? wire::read_form(seen.bytes()) : step.query();
      step.kind = kind_of(step);
      if (step.kind != Kind::kToken && is_post) {
        step.asked = step.query();
      }
      continue;
    }
    const auto place = places.find(seen.lane);
    if (place == places.end()) continue;
    LoginStep& step = steps_[place->second];
    if (seen.kind == Observed::kHttpResponse && step.response == nullptr) step.response = event;
    if (seen.kind == Observed::kHttpBody && step.body == nullptr) step.body = event;
  }
  note_given();
}

LoginStep::Kind LoginReview::kind_of(const LoginStep& step) const {
  const std::string_view path = step.path;
  if (step.office >= kFirstStrangeOffice) return Kind::kOther;
  if (is_metadata_of_server(path)) return Kind::kServerMetadata;
  const bool is_issuers = step.is_at_office || is_own_office_;
  if (is_issuers && path.ends_with("/authorize")) return Kind::kAuthorize;
  if (is_issuers && path.ends_with("/token")) return Kind::kToken;
  if (is_issuers && path.ends_with("/register")) return Kind::kRegister;
  if (step.is_at_office) return Kind::kOther;
  if (path == "/mcp" || path == "/sse" || path == "/messages") return Kind::kProtected;
  const bool is_resource = path.find("/.well-known/oauth-protected-resource") != path.npos ||
                           path.find("/metadata/") != path.npos;
  return is_resource ? Kind::kResourceMetadata : Kind::kOther;
}

std::vector<const LoginStep*> LoginReview::all(Kind kind) const {
  std::vector<const LoginStep*> out;
  for (const LoginStep& step : steps_) {
    if (step.kind == kind) out.push_back(&step);
  }
  return out;
}

const LoginStep* LoginReview::first(Kind kind) const {
  for (const LoginStep& step : steps_) {
    if (step.kind == kind) return &step;
  }
  return nullptr;
}

bool LoginReview::has_begun() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const LoginStep& step) {
    return step.kind != Kind::kProtected && step.kind != Kind::kOther;
  });
}

std::vector<const LoginStep*> LoginReview::granted() const {
  std::vector<const LoginStep*> out = all(Kind::kToken);
  std::erase_if(out, [](const LoginStep* step) { return step->status() != 200; });
  return out;
}

void LoginReview::note_given() {
  const auto note = [](const Json& answer, std::string_view name, std::vector<std::string>& out) {
    const std::string_view text = harness::text_member(answer, name);
    if (!text.empty()) out.emplace_back(text);
  };
  for (const LoginStep* step : all(Kind::kRegister)) {
    if (step->status() / 100 == 2) note(step->received_json(), "client_id", clients_made_);
  }
  for (const LoginStep* step : granted()) {
    const Json answer = step->received_json();
    note(answer, "access_token", access_tokens_);
    note(answer, "refresh_token", refresh_tokens_);
  }
}

std::optional<std::string> LoginReview::bearer_of(const LoginStep& step) {
  const auto field = transport::find_header(step.head().headers, "Authorization");
  if (!field) return std::nullopt;
  const std::string_view scheme = field->substr(0, field->find(' '));
  const bool is_proven = step.binds_tokens && wire::equals_without_case(scheme, wire::kProofName);
  if (!is_proven && !wire::equals_without_case(scheme, "Bearer")) return std::nullopt;
  return std::string(wire::trim_blanks(field->substr(scheme.size())));
}

std::string LoginReview::bare(const std::string& label) const {
  return venue_.vault == nullptr ? label : venue_.vault->value_of(label);
}

bool LoginReview::holds(std::string_view text, const std::string& label) const {
  // A shorter value may be an ordinary word.
  constexpr std::size_t kShortest = 16;
  const std::string value = bare(label);
  if (value.size() >= kShortest && text.find(value) != std::string_view::npos) return true;
  for (std::size_t at = text.find(label); at != std::string_view::npos;
       at = text.find(label, at + 1)) {
    const std::size_t end = at + label.size();
    const bool goes_on = end < text.size() && text[end] >= '0' && text[end] <= '9';
    if (!goes_on) return true;
  }
  return false;
}

const std::string* LoginReview::held_in(std::string_view text,
                                        const std::vector<std::string>& labels) const {
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [&](const std::string& label) { return holds(text, label); });
  return found == labels.end() ? nullptr : &*found;
}

bool LoginReview::has_redeemed_code() const {
  const auto all_of_them = all(Kind::kToken);
  return std::any_of(all_of_them.begin(), all_of_them.end(), [](const LoginStep* step) {
    return step->value("grant_type") == "authorization_code" && step->has("code");
  });
}

void LoginReview::check_refused(const std::vector<catalogue::RequirementId>& rules,
                                const LoginStep& step, const LoginStep* next,
                                const std::string& detail) {
  for (const catalogue::RequirementId rule : with_sums(rules, review_.revision())) {
    if (next != nullptr) {
      std::vector<EventPtr> events = step.events();
      events.push_back(next->request);
      review_.broke(rule, detail, std::move(events));
    } else if (venue_.has_succeeded) {
      review_.held(rule, step.request);
    } else {
      review_.unclear(rule, "nothing shows that the client logs in at all", step.events());
    }
  }
}

void LoginReview::check(catalogue::RequirementId rule, bool did_hold, std::string detail,
                        const LoginStep& step) {
  check(rule, did_hold, std::move(detail), step.events());
}

void LoginReview::check(catalogue::RequirementId rule, bool did_hold, std::string detail,
                        std::vector<EventPtr> events) {
  for (const catalogue::RequirementId each : with_sums({rule}, review_.revision())) {
    review_.check(each, did_hold, detail, events);
  }
}

void LoginReview::check_order(catalogue::RequirementId rule, bool did_hold, std::string detail,
                              std::vector<EventPtr> events) {
  for (const catalogue::RequirementId each : with_sums({rule}, review_.revision())) {
    if (did_hold) {
      review_.held(each, events.back());
    } else {
      review_.crossed(each, detail, events);
    }
  }
}

void LoginReview::check_came(catalogue::RequirementId rule, bool did_come, std::string detail,
                             const LoginStep& behind) {
  for (const catalogue::RequirementId each : with_sums({rule}, review_.revision())) {
    if (did_come) {
      review_.held(each, behind.request);
    } else {
      review_.missed(each, detail, behind.events(), {"the next step of the login"});
    }
  }
}

}  // namespace assay::scenarios
