// Judges what log messages hold: no secret that can be told by its form, and nothing personal that
// our side gave when it was asked for it.
//
// Specification: server/utilities/logging, "Implementation Considerations" and "Security".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/canary.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// What begins a secret, and how many letters, digits, '-', '_' or '.' follow it at least.
struct Form {
  std::string_view what;
  std::string_view begin;
  std::size_t shortest;
};
constexpr std::array kForms = {
    Form{"a private key", "-----BEGIN PRIVATE KEY-----", 0},
    Form{"a private key", "-----BEGIN RSA PRIVATE KEY-----", 0},
    Form{"a private key", "-----BEGIN EC PRIVATE KEY-----", 0},
    Form{"a private key", "-----BEGIN OPENSSH PRIVATE KEY-----", 0},
    Form{"a bearer token", "Authorization: Bearer ", 20},
    Form{"a token of GitHub", "ghp_", 36},
    Form{"a token of GitHub", "github_pat_", 60},
    Form{"a token of Slack", "xoxb-", 20},
    Form{"a key of Amazon's", "AKIA", 16},
};

bool is_token(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

bool holds(std::string_view text, const Form& form) {
  for (std::size_t at = text.find(form.begin); at != std::string_view::npos;
       at = text.find(form.begin, at + 1)) {
    const std::string_view rest = text.substr(at + form.begin.size());
    const auto length = static_cast<std::size_t>(
        std::find_if_not(rest.begin(), rest.end(), is_token) - rest.begin());
    const bool is_whole = at == 0 || !is_token(text[at - 1]);
    if (is_whole && length >= form.shortest) return true;
  }
  return false;
}

// A header field as a member of its own: the name is the key.
constexpr Form kBearerField = {"a bearer token", "Bearer ", 20};
bool is_bearer_field(std::string_view key, const Json& value) {
  constexpr std::string_view kField = "authorization";
  const bool is_it =
      std::equal(key.begin(), key.end(), kField.begin(), kField.end(),
                 [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  return is_it && value.is_string() && holds(value.get_ref<const std::string&>(), kBearerField);
}

// The form of a secret that a string anywhere in the data has; null if none has.
const Form* secret_in(const Json& data) {
  if (data.is_string()) {
    const auto& text = data.get_ref<const std::string&>();
    const auto found = std::find_if(kForms.begin(), kForms.end(),
                                    [&](const Form& form) { return holds(text, form); });
    return found == kForms.end() ? nullptr : &*found;
  }
  if (!data.is_structured()) return nullptr;
  for (const auto& [key, part] : data.items()) {
    if (data.is_object() && is_bearer_field(key, part)) return &kBearerField;
    if (const Form* form = secret_in(part)) return form;
  }
  return nullptr;
}

class LogMonitor : public Monitor {
 public:
  std::string_view name() const override { return "log_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"logging.no-credentials", "logging.no-personal-data", "logging.sensitive-removed"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged) {
      was_given_ = was_given_ || holds_address(sighting.message);
      return;
    }
    if (sighting.message.method() != "notifications/message") return;
    if (was_given_) {
      judge.check("logging.no-personal-data", !holds_address(sighting.message),
                  "the message holds the e-mail address that the client gave for its user",
                  sighting.event, "/params/data");
    }
    const Form* form = secret_in(member(sighting.message.params(), "data"));
    const std::string detail =
        form == nullptr ? "" : fmt::format("the message holds {}", form->what);
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("logging.no-credentials"),
          catalogue::RequirementId("logging.sensitive-removed")}) {
      judge.check(rule, form == nullptr, detail, sighting.event, "/params/data");
    }
  }

 private:
  static bool holds_address(const wire::Message& message) {
    return message.bytes().find(kPersonalAddress) != std::string_view::npos;
  }

  bool was_given_ = false;  // our side has told the server the address of a person
};

const MonitorRegistration<LogMonitor> kLogMonitorRegistration;

}  // namespace
}  // namespace assay::harness
