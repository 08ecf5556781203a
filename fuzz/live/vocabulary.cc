#include "fuzz/live/vocabulary.h"

#include <algorithm>
#include <utility>

#include "fuzz/live/text.h"
#include "harness/script/abandoned.h"
#include "harness/script/handshake_connection.h"
#include "reference/transport/stdio_child.h"

namespace assay::fuzz {
namespace {

void take_names(const harness::Listing& listing, const char* key, std::vector<std::string>& into) {
  for (const Json& item : listing.items) {
    std::string name = text_member(item, key);
    if (name.empty() || name.size() > kLongestName || into.size() >= kMostNames) continue;
    into.push_back(std::move(name));
  }
}

void take_tools(const harness::Listing& listing, const harness::ToolPolicy& policy,
                Vocabulary& words) {
  for (const Json& tool : listing.items) {
    const std::string name = text_member(tool, "name");
    const bool fits = !name.empty() && name.size() <= kLongestName &&
                      wire::encode(tool).size() <= kLargestTool && words.tools.size() < kMostNames;
    if (fits && policy.allows(tool)) {
      words.tools.push_back(tool);
    } else if (!name.empty()) {
      words.forbidden_tools.push_back(name);
    }
  }
}

void take_lists(harness::Connection& connection, const harness::ToolPolicy& tools,
                Vocabulary& words) {
  const harness::Survey survey = harness::Survey::take(connection);
  take_tools(survey.tools(), tools, words);
  take_names(survey.resources(), "uri", words.resources);
  take_names(survey.resource_templates(), "uriTemplate", words.templates);
  for (const Json& prompt : survey.prompts().items) {
    const std::string name = text_member(prompt, "name");
    if (!name.empty() && name.size() <= kLongestName && words.prompts.size() < kMostNames) {
      words.prompts.push_back(prompt);
    }
  }
  for (const auto& event : connection.transcript().events()) {
    const wire::Message* message = event->is_from_client() ? nullptr : event->message();
    if (message == nullptr || message->kind() != wire::MessageKind::kResult) continue;
    std::string cursor = text_member(message->result(), "nextCursor");
    if (!cursor.empty() && cursor.size() <= kLongestName && words.cursors.size() < kMostNames) {
      words.cursors.push_back(std::move(cursor));
    }
  }
}

// True if one of the names stands anywhere in `json`, as a string of its own.
bool names_any(const Json& json, const std::vector<std::string>& names) {
  if (json.is_string()) {
    return std::find(names.begin(), names.end(), json.get_ref<const std::string&>()) != names.end();
  }
  return json.is_structured() && std::any_of(json.begin(), json.end(), [&](const Json& member) {
           return names_any(member, names);
         });
}

transport::Failure failure(std::string detail) {
  return {transport::Failure::Kind::kOther, std::move(detail)};
}

}  // namespace

const Json* Vocabulary::tool(std::string_view tool_name) const {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Json& tool) {
    return text_member(tool, "name") == tool_name;
  });
  return found == tools.end() ? nullptr : &*found;
}

bool Vocabulary::is_safe(std::string_view bytes) const {
  if (forbidden_tools.empty() || bytes.find("tools/call") == std::string_view::npos) return true;
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message != nullptr && message->notices().empty()) {
    return !names_any(message->json(), forbidden_tools);
  }
  return std::none_of(
      forbidden_tools.begin(), forbidden_tools.end(), [&](const std::string& forbidden) {
        return bytes.find(Json(forbidden).dump(-1, ' ', false, Json::error_handler_t::replace)) !=
               std::string_view::npos;
      });
}

namespace {

std::variant<Vocabulary, transport::Failure> take_survey(const harness::TargetAccess& access,
                                                         const harness::ToolPolicy& tools,
                                                         const harness::Patience& patience,
                                                         std::stop_token stop) {
  Vocabulary words;
  const model::Revision newest = model::Revision::handshake().back();
  const auto opened = harness::connect(access, newest, patience, stop);
  harness::Connection& connection = *opened;
  if (auto trouble = connection.open()) return *trouble;
  words.initialize_params = harness::initialize_params(connection.revision());
  const harness::Reply reply = connection.begin();
  if (!connection.has_begun()) {
    const transport::StdioChild* child = connection.child();
    return failure("it did not answer 'initialize' with a result" +
                   last_words(child == nullptr ? "" : child->stderr_tail()));
  }
  const Json& server = connection.server();
  const auto revision = model::Revision::parse(text_member(server, "protocolVersion"));
  if (!revision || !revision->has_handshake()) {
    return failure("it answered 'initialize' with a revision that is unknown");
  }
  words.revision = *revision;
  const Json info = server.value("serverInfo", Json());
  words.name = text_member(info, "name");
  words.version = text_member(info, "version");
  words.capabilities = server.value("capabilities", Json::object());
  take_lists(connection, tools, words);
  connection.close();
  return words;
}

}  // namespace

std::variant<Vocabulary, transport::Failure> survey(const harness::TargetAccess& access,
                                                    const harness::ToolPolicy& tools,
                                                    const harness::Patience& patience,
                                                    std::stop_token stop) {
  try {
    return take_survey(access, tools, patience, std::move(stop));
  } catch (const harness::Abandoned& reason) {
    return failure(reason.why());
  }
}

}  // namespace assay::fuzz
