// Judges the elicitations of the target, and the errors and notifications that belong to them.
//
// Specification: client/elicitation. Where nothing but a result may ask (2026-07-28), what stands
// in one is judged like a request.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/secret_names.h"
#include "harness/monitors/session_view.h"
#include "harness/script/canary.h"
#include "harness/script/json_member.h"
#include "reference/model/formats.h"
#include "reference/model/validate.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Format;

bool is_http_url(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

bool is_local(std::string_view url) {
  for (const std::string_view host : {"http://localhost", "http://127.0.0.1", "http://[::1]"}) {
    if (!url.starts_with(host)) continue;
    const std::string_view rest = url.substr(host.size());
    if (rest.empty() || std::string_view(":/?#").find(rest.front()) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// "user:secret@host" in the authority of a URL.
bool has_user(std::string_view url) {
  const std::size_t start = url.find("://");
  if (start == std::string_view::npos) return false;
  const std::string_view authority =
      url.substr(start + 3, url.find_first_of("/?#", start + 3) - start - 3);
  return authority.find('@') != std::string_view::npos;
}

// The e-mail address that our side gives for its user, as it is or as a URL may spell it. What else
// a URL tells of a user nobody can see: a parameter is not personal by its name.
bool holds_address(std::string_view url) {
  const std::size_t at = kPersonalAddress.find('@');
  const std::string encoded =
      fmt::format("{}%40{}", kPersonalAddress.substr(0, at), kPersonalAddress.substr(at + 1));
  return url.find(kPersonalAddress) != std::string_view::npos ||
         url.find(encoded) != std::string_view::npos;
}

class ElicitationMonitor : public Monitor {
 public:
  std::string_view name() const override { return "elicitation_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"elicitation.no-sensitive-information",
            "elicitation.sensitive-information-by-url",
            "elicitation.mode-and-message",
            "elicitation.form-parameters",
            "elicitation.form-without-links",
            "elicitation.url-parameters",
            "elicitation.url-valid",
            "elicitation.url-is-https",
            "elicitation.url-without-personal-data",
            "elicitation.completion-names-elicitation",
            "elicitation.completion-to-initiator",
            "elicitation.required-error-lists",
            "elicitation.required-error-entries",
            "elicitation.required-error-only-then"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      was_given_ =
          was_given_ || sighting.message.bytes().find(kPersonalAddress) != std::string_view::npos;
      return;
    }
    const std::string_view method = sighting.message.method();
    if (sighting.is_request() && method == "elicitation/create") {
      judge_request(sighting, session, judge);
    } else if (sighting.is_notification() && method == "notifications/elicitation/complete") {
      judge_completion(sighting, judge);
    } else if (sighting.is_error() && session.revision().has_url_elicitation()) {
      const bool is_required = sighting.message.error_code() == wire::kUrlElicitationRequired;
      if (is_required) judge_required(sighting, session, judge);
      judge_occasion(sighting, session, is_required, judge);
    }
  }

  // What is asked for is the same, whether by a request or within a result.
  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    on_message(sighting, session, judge);
  }

  // On another stream the notification may overtake what it belongs to, so it is judged last.
  void on_end(const SessionView& session, Judge& judge) override {
    // A process of its own has no other client whose elicitation it could mean.
    const bool is_alone = session.transport().has_process();
    for (const auto& [id, event] : completions_) {
      const bool is_known = ids_.contains(id);
      if (is_known || is_alone) {
        judge.check("elicitation.completion-names-elicitation", is_known,
                    "the notification names an elicitation that there never was", event,
                    "/params/elicitationId");
      }
      if (is_known || !is_alone) {
        judge.check("elicitation.completion-to-initiator", is_known,
                    "the notification names an elicitation that this client never had", event,
                    "/params/elicitationId");
      }
    }
  }

 private:
  void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& params = sighting.message.params();
    const Json& mode = member(params, "mode");
    if (session.revision().has_url_elicitation()) {
      const bool is_mode = mode.is_null() || mode == "form" || mode == "url";
      judge.check("elicitation.mode-and-message", is_mode && member(params, "message").is_string(),
                  "the elicitation lacks a message, or its mode is neither form nor url",
                  sighting.event, "/params");
    }
    if (mode == "url") {
      if (speaks_of_a_secret(text_member(params, "message"))) {
        judge.held("elicitation.sensitive-information-by-url", sighting.event);
      }
      judge_url(params, sighting, session, "/params", judge);
      ids_.emplace(text_member(params, "elicitationId"));
    } else {
      judge_form(params, sighting, session, judge);
    }
  }

  // The user may write anything into the field, or any number.
  static bool is_open(const Json& description) {
    const std::string_view type = text_member(description, "type");
    return (type == "string" || type == "number" || type == "integer") &&
           !description.contains("enum") && !description.contains("oneOf");
  }

  static void judge_form(const Json& params, const Sighting& sighting, const SessionView& session,
                         Judge& judge) {
    const Json& schema = member(params, "requestedSchema");
    judge.check("elicitation.form-parameters", schema.is_object(),
                "the form has no requestedSchema", sighting.event, "/params");
    const Json& fields = member(schema, "properties");
    if (!fields.is_object()) return;
    for (const auto& [field, description] : fields.items()) {
      const std::string pointer =
          (Json::json_pointer("/params/requestedSchema/properties") / field).to_string();
      // Whatever else is asked about a secret is answered with yes or no, or with a choice.
      const bool is_secret =
          is_open(description) &&
          (names_a_secret(field) || names_a_secret(text_member(description, "title")) ||
           (text_member(description, "type") == "string" && ends_with_a_secret(field)));
      judge.check("elicitation.no-sensitive-information", !is_secret,
                  "a field of the form asks for a secret", sighting.event, pointer);
      if (is_secret && session.revision().has_url_elicitation()) {
        judge.broke("elicitation.sensitive-information-by-url",
                    "a secret is asked for in a form and not by URL", {sighting.event}, pointer);
      }
      judge_links(description, sighting, pointer, judge);
    }
  }

  static void judge_links(const Json& description, const Sighting& sighting,
                          const std::string& pointer, Judge& judge) {
    for (const char* key : {"title", "description"}) {
      const std::string_view text = text_member(description, key);
      if (text.empty() || member(description, "format") == "uri") continue;
      const bool is_link =
          is_http_url(text) && !text.ends_with("://") && model::has_format(Format::kUri, text);
      judge.check("elicitation.form-without-links", !is_link, "a field of the form is a link",
                  sighting.event, pointer + "/" + key);
    }
  }

  // The ids went with the sessions that they were good for.
  void judge_url(const Json& params, const Sighting& sighting, const SessionView& session,
                 const std::string& pointer, Judge& judge) const {
    const bool has_ids = session.revision().has_server_requests();
    const bool is_complete = member(params, "url").is_string() &&
                             member(params, "message").is_string() &&
                             (!has_ids || member(params, "elicitationId").is_string());
    judge.check("elicitation.url-parameters", is_complete,
                has_ids ? "the elicitation lacks its url, its elicitationId or its message"
                        : "the elicitation lacks its url or its message",
                sighting.event, pointer);
    const std::string_view url = text_member(params, "url");
    if (!member(params, "url").is_string()) return;
    judge.check("elicitation.url-valid", model::has_format(Format::kUri, url),
                "the url is no valid URL", sighting.event, pointer + "/url");
    judge_content(url, sighting, pointer + "/url", judge);
  }

  // Other schemes may lead into an app; of those with a host, some are certainly not encrypted.
  void judge_content(std::string_view url, const Sighting& sighting, const std::string& pointer,
                     Judge& judge) const {
    if (!is_http_url(url) && !url.starts_with("ftp://")) return;
    judge.check("elicitation.url-is-https", url.starts_with("https://") || is_local(url),
                "the url is not an https URL", sighting.event, pointer);
    const bool is_personal = has_user(url) || (was_given_ && holds_address(url));
    judge.check("elicitation.url-without-personal-data", !is_personal,
                has_user(url) ? "the url names a user before its host"
                              : "the url holds the e-mail address that the user gave",
                sighting.event, pointer);
  }

  void judge_completion(const Sighting& sighting, Judge& judge) {
    const Json& id = member(sighting.message.params(), "elicitationId");
    if (id.is_string()) {
      completions_.emplace_back(id.get<std::string>(), sighting.event);
    } else {
      judge.broke("elicitation.completion-names-elicitation",
                  "the notification names no elicitation", {sighting.event},
                  "/params/elicitationId");
    }
  }

  void judge_required(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& data = member(sighting.message.error(), "data");
    const Json& elicitations = array_member(data, "elicitations");
    judge.check("elicitation.required-error-lists", !elicitations.empty(),
                "error -32042 lists no elicitation", sighting.event, "/error/data");
    for (std::size_t i = 0; i < elicitations.size(); ++i) {
      const std::string pointer = fmt::format("/error/data/elicitations/{}", i);
      const Json& one = elicitations[i];
      judge.check("elicitation.required-error-entries",
                  member(one, "mode") == "url" && member(one, "elicitationId").is_string(),
                  "an elicitation in error -32042 is not in URL mode, or has no elicitationId",
                  sighting.event, pointer);
      judge_url(one, sighting, session, pointer, judge);
      ids_.emplace(text_member(one, "elicitationId"));
    }
  }

  // No user can bring a method into being that the server does not know, nor does anybody have to
  // be asked before a ping is answered. What a tool may need, nobody can tell from here.
  // Who refuses such a request with another error keeps the rule.
  static void judge_occasion(const Sighting& sighting, const SessionView& session, bool is_required,
                             Judge& judge) {
    if (sighting.exchange == nullptr) return;
    const std::string_view method = sighting.exchange->request.method();
    const bool is_known =
        model::known_method(session.revision(), model::Direction::kClientToServer, method)
            .has_value();
    const bool may_need_one = is_known && method != "ping" && method != "initialize";
    if (may_need_one && !is_required) return;
    judge.check("elicitation.required-error-only-then", may_need_one || !is_required,
                "error -32042 answers what no elicitation can be needed for", sighting.event,
                "/error/code");
  }

  bool was_given_ = false;     // our side has told the server the address of a person
  std::set<std::string> ids_;  // of the elicitations by URL that this connection had
  std::vector<std::pair<std::string, EventPtr>> completions_;
};

const MonitorRegistration<ElicitationMonitor> kElicitationMonitorRegistration;

}  // namespace
}  // namespace assay::harness
