// Judges the keys of `_meta` wherever the schema has one.
//
// Specification: basic, "_meta" (from 2025-06-18). Which members are a `_meta` of the protocol, and
// not of somebody's data, the wire model knows.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/meta_key_form.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

bool is_one_of(std::string_view label, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), label) != words.end();
}

// A domain written forwards, which in reverse begins with no top level domain: "example.com/".
// Parts of domains are called io, dev and ai, too: "cloud.acme.dev/" is one in reverse.
bool is_written_forwards(const std::vector<std::string_view>& labels) {
  if (labels.size() < 2 || labels.front().size() <= 2) return false;
  if (is_one_of(labels.front(), {"com", "org", "net", "dev"})) return false;
  if (is_one_of(labels.back(), {"com", "org", "net"})) return true;
  return labels.size() == 2 && is_one_of(labels.back(), {"io", "dev", "ai"}) &&
         !is_one_of(labels.front(), {"app", "cloud", "tech", "info", "xyz", "edu", "gov", "mil",
                                     "int", "biz", "name", "online", "site", "software", "systems",
                                     "tools", "world", "page", "run"});
}

class MetaKeyMonitor : public Monitor {
 public:
  std::string_view name() const override { return "meta_key_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"meta.prefix-form", "meta.label-form", "meta.prefix-reverse-dns", "meta.name-form"};
  }
  std::vector<RequirementId> client_requirements() const override { return server_requirements(); }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || sighting.message.kind() == wire::MessageKind::kBatch) return;
    // Cheap first: most messages have no `_meta`.
    if (sighting.message.bytes().find("\"_meta\"") == std::string_view::npos) return;
    const Json& json = sighting.message.json();
    for (const char* side : {"params", "result"}) {
      const Json& meta = member(member(json, side), "_meta");
      if (!meta.is_object()) continue;
      for (const auto& [key, value] : meta.items()) {
        judge_key(key, fmt::format("/{}/_meta", side), sighting, judge);
      }
    }
    judge_nested(sighting, session, judge);
  }

 private:
  // Deeper down only what is wrong is known, by the model.
  static void judge_nested(const Sighting& sighting, const SessionView& session, Judge& judge) {
    std::optional<std::string_view> method;
    if (sighting.exchange != nullptr) method = sighting.exchange->request.method();
    // Results are looked up by what was asked.
    const bool is_client_speaking = !method && judge.judged() == Party::kClient;
    const auto direction =
        is_client_speaking ? model::Direction::kClientToServer : model::Direction::kServerToClient;
    for (const auto& deviation :
         model::validate_message(session.revision(), direction, sighting.message.json(), method)) {
      if (deviation.rule != model::Rule::kMetaKey) continue;
      const std::size_t meta = deviation.pointer.find("/_meta/");
      if (meta == std::string::npos || meta == std::string_view("/result").size()) continue;
      judge_key(key_of(deviation.pointer.substr(meta + 7)), deviation.pointer, sighting, judge);
    }
  }

  // A reference token of a JSON pointer, read back.
  static std::string key_of(std::string_view token) {
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] == '~' && i + 1 < token.size()) {
        key += token[++i] == '1' ? '/' : '~';
      } else {
        key += token[i];
      }
    }
    return key;
  }

  static void judge_key(std::string_view key, const std::string& pointer, const Sighting& sighting,
                        Judge& judge) {
    const std::size_t slash = key.find('/');
    const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
    judge.check("meta.name-form", is_name(name),
                "the name of a _meta key must begin and end with a letter or digit, with only "
                "letters, digits, '-', '_' and '.' between them",
                sighting.event, pointer);
    if (slash == std::string_view::npos) return;
    const std::string_view prefix = key.substr(0, slash);
    judge.check("meta.prefix-form", !prefix.empty(), "the prefix of a _meta key is empty",
                sighting.event, pointer);
    if (prefix.empty()) return;
    const auto labels = labels_of(prefix);
    bool are_labels = true;
    for (const std::string_view label : labels) are_labels = are_labels && is_label(label);
    judge.check("meta.label-form", are_labels,
                "a label in the prefix of a _meta key must begin with a letter and end with a "
                "letter or digit",
                sighting.event, pointer);
    if (!are_labels) return;
    judge.check("meta.prefix-reverse-dns", !is_written_forwards(labels),
                "the prefix of a _meta key is a domain name that is not reversed", sighting.event,
                pointer);
  }
};

const MonitorRegistration<MetaKeyMonitor> kMetaKeyMonitorRegistration;

}  // namespace
}  // namespace assay::harness
