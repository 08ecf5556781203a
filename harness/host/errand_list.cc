#include "harness/host/errand_list.h"

#include <algorithm>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/trace.h"
#include "harness/script/capability.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

bool is_over(const catalogue::Requirement& rule, TransportKind transport) {
  if (rule.transport == catalogue::Transport::kAny) return true;
  return (rule.transport == catalogue::Transport::kStdio) == transport.has_process();
}

}  // namespace

ErrandList::ErrandList(std::vector<model::Revision> revisions, TransportKind transport)
    : hosted_(std::move(revisions)), transport_(transport) {}

void ErrandList::note(const Event& event) {
  const wire::Message* message = event.message();
  if (message == nullptr) return;
  note_message(*message, event.is_from_client());
  for (const wire::Message& member : message->members()) {
    note_message(member, event.is_from_client());
  }
}

void ErrandList::note_message(const wire::Message& message, bool is_from_client) {
  if (!is_from_client) {
    if (message.kind() != wire::MessageKind::kResult) return;
    note_spoken(model::Revision::parse(text_member(message.result(), "protocolVersion")));
    return;
  }
  note_spoken(revision_of(message));
  if (message.method() == "initialize") note_client(member(message.params(), "capabilities"));
  const Json& meta = member(message.params(), "_meta");
  note_client(member(meta, "io.modelcontextprotocol/clientCapabilities"));
  for (const ClientErrand& errand : client_errands()) {
    if (errand.is_done_by(message)) done_.insert(&errand);
  }
}

void ErrandList::note_spoken(std::optional<model::Revision> revision) {
  // A client may probe for a revision that is not hosted, and then go on in one that is.
  const bool is_hosted =
      revision && std::find(hosted_.begin(), hosted_.end(), *revision) != hosted_.end();
  if (is_hosted) spoken_.insert(*revision);
}

void ErrandList::note_client(const Json& capabilities) {
  if (!capabilities.is_object()) return;
  // One application after another may come: what any of them can do can be done.
  if (capabilities_.is_null()) capabilities_ = Json::object();
  for (const auto& [name, value] : capabilities.items()) {
    if (capabilities_.size() < 64) capabilities_.emplace(name, Json::object());
  }
}

void ErrandList::note_exercised(const std::set<std::string_view>& rules) {
  exercised_.insert(rules.begin(), rules.end());
}

bool ErrandList::is_open(const ClientErrand& errand) const {
  if (done_.contains(&errand)) return false;
  const bool is_able = errand.capability.empty() || capabilities_.is_null() ||
                       declares_in(capabilities_, errand.capability);
  if (!is_able) return false;
  const auto waits_in = [&](model::Revision revision) {
    if (!errand.applies_to(revision, transport_)) return false;
    return std::any_of(errand.requirements.begin(), errand.requirements.end(),
                       [&](const catalogue::RequirementId& id) {
                         const auto* rule = catalogue::find(id.text());
                         return rule != nullptr && rule->binds_client_in(revision) &&
                                is_over(*rule, transport_) && !exercised_.contains(id.text());
                       });
  };
  if (!spoken_.empty()) return std::any_of(spoken_.begin(), spoken_.end(), waits_in);
  return std::any_of(hosted_.begin(), hosted_.end(), waits_in);
}

std::vector<std::string> ErrandList::left() const {
  std::vector<std::string> words;
  for (const ClientErrand& errand : client_errands()) {
    const bool is_told = std::find(words.begin(), words.end(), errand.words) != words.end();
    if (!is_told && is_open(errand)) words.emplace_back(errand.words);
  }
  return words;
}

}  // namespace assay::harness
