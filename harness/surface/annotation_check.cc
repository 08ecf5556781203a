#include "harness/surface/annotation_check.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "harness/script/upstream.h"
#include "reference/model/revision.h"
#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

constexpr const char* kNoSuchTool = "assay-no-such-tool";
constexpr std::size_t kMostWords = 200;  // bytes of what a failed call says

// What the tool says of itself; nothing where it says nothing.
std::optional<bool> claim(const Json& tool, const char* hint) {
  const Json& value = member(member(tool, "annotations"), hint);
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

bool is_read_only(const Json& tool) {
  return claim(tool, "readOnlyHint") == true;
}
// These two mean something of tools that write.
bool is_idempotent(const Json& tool) {
  return !is_read_only(tool) && claim(tool, "idempotentHint") == true;
}
bool only_adds(const Json& tool) {
  return !is_read_only(tool) && claim(tool, "destructiveHint") == false;
}

bool is_success(const Reply& reply) {
  return reply.is_result() && member(reply.result(), "isError") != true;
}

// In the target's own words, where it has some.
std::string why_failed(const Reply& reply) {
  for (const Json& block : array_member(reply.result(), "content")) {
    if (const std::string_view text = text_member(block, "text"); !text.empty()) {
      return std::string(text.substr(0, kMostWords));
    }
  }
  return reply.is_result() ? "isError" : reply.describe();
}

// One session, and what changes in the sandbox meanwhile.
class SandboxSession {
 public:
  SandboxSession(Connection& connection, const std::string& sandbox,
                 std::shared_ptr<Upstream> upstream)
      : connection_(connection), sandbox_(sandbox), upstream_(std::move(upstream)) {
    learn_noise();
  }

  // What the call changed, besides what changes without any tool.
  std::vector<FileChange> changes_by(const Json& parameters, std::optional<Reply>& reply) {
    const FolderState before = FolderState::of(sandbox_);
    reply = connection_.request("tools/call", parameters);
    const FolderState after = FolderState::of(sandbox_);
    // What lies beyond the bounds of one look may lie within those of the other.
    if (!before.is_complete() || !after.is_complete()) {
      is_complete_ = false;
      return {};
    }
    std::vector<FileChange> changes = before.changes_in(after);
    std::erase_if(changes, [this](const FileChange& each) { return noise_.contains(each.path); });
    return changes;
  }

  bool is_complete() const { return is_complete_; }

  // How many requests the API got by now.
  std::size_t visits() const { return upstream_ ? upstream_->count() : 0; }
  // The requests since then that change something there, whatever it is.
  std::vector<EventPtr> writes_since(std::size_t visits) const {
    std::vector<EventPtr> out;
    if (!upstream_) return out;
    for (const Upstream::Visit& visit : upstream_->visits(visits)) {
      const transport::HttpHead* head = visit.event->observation.http();
      if (head != nullptr && is_write(head->method) && !noise_.contains(head->target)) {
        out.push_back(visit.event);
      }
    }
    return out;
  }

 private:
  // A POST may also ask: a query that is too long for a URL, say.
  static bool is_write(std::string_view method) {
    return method == "PUT" || method == "PATCH" || method == "DELETE";
  }

  // A log, say, which each request makes longer: also one that calls no tool.
  void learn_noise() {
    const FolderState before = FolderState::of(sandbox_);
    const std::size_t asked = visits();
    connection_.probe();
    const Pending unknown =
        connection_.start("tools/call", {{"name", kNoSuchTool}, {"arguments", Json::object()}});
    connection_.await(unknown);
    for (const FileChange& each : before.changes_in(FolderState::of(sandbox_))) {
      noise_.insert(each.path);
    }
    for (const EventPtr& event : writes_since(asked)) {
      noise_.insert(event->observation.http()->target);
    }
  }

  Connection& connection_;
  const std::string& sandbox_;
  const std::shared_ptr<Upstream> upstream_;  // null: we play none
  std::set<std::string> noise_;               // paths, and targets of requests
  bool is_complete_ = true;
};

AnnotatedTool checked(SandboxSession& session, const Json& tool, const Json& arguments) {
  AnnotatedTool out;
  out.name = text_member(tool, "name");
  out.makes_a_claim = true;
  const Json parameters = {{"name", out.name}, {"arguments", arguments}};
  std::optional<Reply> reply;
  const std::size_t asked = session.visits();
  std::vector<FileChange> changes = session.changes_by(parameters, reply);
  if (is_read_only(tool) && !changes.empty()) {
    out.advice.push_back({"readOnlyHint", "it says that it only reads, and the call changed files",
                          changes, reply->events()});
  }
  if (const auto writes = session.writes_since(asked); is_read_only(tool) && !writes.empty()) {
    std::vector<EventPtr> events = reply->events();
    events.insert(events.end(), writes.begin(), writes.end());
    out.advice.push_back({"readOnlyHint",
                          "it says that it only reads, and the call asked the API to change "
                          "something",
                          {},
                          std::move(events)});
  }
  if (!is_success(*reply)) {
    if (out.advice.empty()) out.trouble = "the call failed: " + why_failed(*reply);
    return out;
  }
  std::erase_if(changes, [](const FileChange& each) {
    return each.kind != FileChange::Kind::kRemoved && each.kind != FileChange::Kind::kShrunk;
  });
  if (only_adds(tool) && !changes.empty()) {
    out.advice.push_back({"destructiveHint", "it says that it only adds, and the call took away",
                          std::move(changes), reply->events()});
  }
  if (!is_idempotent(tool)) return out;
  changes = session.changes_by(parameters, reply);
  if (!changes.empty()) {
    out.advice.push_back({"idempotentHint",
                          "it says that a repeated call has no additional effect, and the same "
                          "call changed files again",
                          std::move(changes), reply->events()});
  }
  return out;
}

AnnotatedTool untested(const Json& tool, bool makes_a_claim, std::string trouble) {
  AnnotatedTool out;
  out.name = text_member(tool, "name");
  out.makes_a_claim = makes_a_claim;
  out.trouble = std::move(trouble);
  return out;
}

std::optional<Json> arguments_for(const Json& tool, const ToolPolicy& policy,
                                  const std::string& sandbox) {
  const KnownTool* known = policy.known.tool(text_member(tool, "name"));
  if (known != nullptr && !known->uses.empty()) return known->uses.front().arguments;
  Json arguments = sandbox_arguments(tool, sandbox);
  const auto outcome = model::check_against_schema(member(tool, "inputSchema"), arguments).outcome;
  return outcome == model::SchemaOutcome::kInvalid ? std::nullopt : std::optional(arguments);
}

void check_tools(Connection& connection, const TargetAccess& access, const std::string& sandbox,
                 const ToolPolicy& policy, const std::stop_token& stop, AnnotationCheck& out) {
  const Survey survey = Survey::take(connection);
  for (const Json& tool : survey.tools().items) out.listed.emplace_back(text_member(tool, "name"));
  std::copy_if(policy.names.begin(), policy.names.end(), std::back_inserter(out.unlisted),
               [&out](const std::string& name) {
                 return std::find(out.listed.begin(), out.listed.end(), name) == out.listed.end();
               });
  if (!out.unlisted.empty()) return;
  SandboxSession session(connection, sandbox, access.upstream);
  for (const Json& tool : survey.tools().items) {
    if (stop.stop_requested() || out.tools.size() == kMostToolsCalled) break;
    const bool makes_a_claim = is_read_only(tool) || is_idempotent(tool) || only_adds(tool);
    if (!makes_a_claim || !policy.allows(tool)) {
      out.tools.push_back(
          untested(tool, makes_a_claim, makes_a_claim ? "--tools leaves it out" : ""));
      continue;
    }
    const auto arguments = arguments_for(tool, policy, sandbox);
    out.tools.push_back(arguments ? checked(session, tool, *arguments)
                                  : untested(tool, true, "no arguments are known for it"));
  }
  if (session.is_complete()) return;
  for (AnnotatedTool& tool : out.tools) {
    if (tool.advice.empty() && tool.trouble.empty() && tool.makes_a_claim) {
      tool.trouble = "the sandbox has more files than are compared";
    }
  }
}

transport::Failure not_checked(std::string detail) {
  return {transport::Failure::Kind::kOther, std::move(detail)};
}

// The words of a name in lower case: "maxDir_Count" has three.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool is_within = false;
  bool was_lower = false;
  for (const unsigned char c : name) {
    const bool is_upper = std::isupper(c) != 0;
    const bool is_new = !is_within || (is_upper && was_lower);
    is_within = std::isalpha(c) != 0;
    was_lower = std::islower(c) != 0;
    if (!is_within) continue;
    if (is_new) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(c));
  }
  return words;
}

// Also one that is written together with the word before it: "workdir". Some that only end so mean
// something else.
bool is_word_for(std::string_view word, std::initializer_list<std::string_view> meant,
                 std::initializer_list<std::string_view> others) {
  if (std::find(others.begin(), others.end(), word) != others.end()) return false;
  return std::any_of(meant.begin(), meant.end(),
                     [&](std::string_view each) { return word.ends_with(each); });
}

bool mentions_path(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "source" || word == "destination" || word == "uri" ||
           is_word_for(word, {"path", "paths", "file", "files", "filename", "filenames"},
                       {"profile", "profiles", "xpath", "jsonpath"});
  });
}

bool mentions_folder(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "root" || word == "roots" ||
           is_word_for(word, {"dir", "dirs", "directory", "directories", "folder", "folders"}, {});
  });
}

}  // namespace

std::size_t AnnotationCheck::claims() const {
  return static_cast<std::size_t>(std::count_if(
      tools.begin(), tools.end(), [](const AnnotatedTool& tool) { return tool.makes_a_claim; }));
}

std::size_t AnnotationCheck::compared() const {
  return static_cast<std::size_t>(std::count_if(
      tools.begin(), tools.end(),
      [](const AnnotatedTool& tool) { return tool.makes_a_claim && tool.trouble.empty(); }));
}

Json sandbox_arguments(const Json& tool, const std::string& sandbox) {
  const Json& schema = member(tool, "inputSchema");
  Json arguments = sample_arguments(schema).value_or(Json::object());
  const std::string name(text_member(tool, "name"));
  for (auto& [key, value] : arguments.items()) {
    const bool is_folder = mentions_folder(key) || (mentions_path(key) && mentions_folder(name));
    if (!is_folder && !mentions_path(key)) continue;
    const std::string path = is_folder ? sandbox : sandbox + "/" + kSandboxFile;
    Json better = arguments;
    if (value.is_string()) better[key] = path;
    if (value.is_array() && !value.empty() && value[0].is_string()) better[key] = {path};
    const auto outcome = model::check_against_schema(schema, better).outcome;
    if (outcome != model::SchemaOutcome::kInvalid) value = better[key];
  }
  return arguments;
}

std::variant<AnnotationCheck, transport::Failure> check_annotations(const TargetAccess& access,
                                                                    const std::string& sandbox,
                                                                    const ToolPolicy& policy,
                                                                    const Patience& patience,
                                                                    const std::stop_token& stop) {
  std::string trouble = "it speaks no revision in which tools have annotations";
  try {
    // The newest that it speaks. The first revision has no annotations.
    const auto& revisions = model::Revision::all();
    for (std::size_t i = revisions.size(); i-- > 1 && !stop.stop_requested();) {
      const auto connection = connect(access, revisions[i], patience, stop);
      if (const auto closed = connection->open()) return *closed;
      const Reply answer = connection->begin();
      const Json& spoken = member(connection->server(), "protocolVersion");
      const bool is_other = spoken.is_string() && spoken != std::string(revisions[i].text());
      if (!connection->has_begun() || is_other) {
        if (!connection->has_begun()) trouble = answer.describe();
        continue;
      }
      AnnotationCheck out;
      out.revision = revisions[i].text();
      out.server = text_member(server_info(connection->server()), "name");
      check_tools(*connection, access, sandbox, policy, stop, out);
      connection->close();
      return out;
    }
  } catch (const Abandoned& reason) {
    return not_checked(reason.why());
  }
  return not_checked(stop.stop_requested() ? "interrupted" : trouble);
}

}  // namespace assay::harness
