#include "fuzz/live/target/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/target/input_rounds.h"
#include "fuzz/live/target/stderr_tail.h"
#include "fuzz/live/target/text.h"
#include "harness/script/abandoned.h"
#include "harness/script/handshake_connection.h"
#include "harness/script/stateless_connection.h"
#include "harness/transcript/own_exit.h"
#include "reference/model/validate.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

constexpr const char* kServerInfoInMeta = "io.modelcontextprotocol/serverInfo";

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
  words.mirrored.note({{"tools", survey.tools().items}});
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

std::string Vocabulary::label(std::string_view method) const {
  const bool is_named =
      method.empty() ||
      model::known_method(revision, model::Direction::kClientToServer, method).has_value();
  return std::string(is_named ? method : kUnknownMethod);
}

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

// What the target said of itself when the conversation began; or why it cannot be used.
std::optional<transport::Failure> take_greeting(const harness::Connection& connection,
                                                Vocabulary& words) {
  const Json& server = connection.server();
  words.capabilities = server.value("capabilities", Json::object());
  if (words.revision.is_stateless()) {
    const Json meta = server.value("_meta", Json());
    const Json info = meta.is_object() ? meta.value(kServerInfoInMeta, Json()) : Json();
    words.name = text_member(info, "name");
    words.version = text_member(info, "version");
    const Json spoken = server.value("supportedVersions", Json());
    words.is_modern_only =
        spoken.is_array() && std::all_of(spoken.begin(), spoken.end(), [](const Json& each) {
          const auto known = each.is_string()
                                 ? model::Revision::parse(each.get_ref<const std::string&>())
                                 : std::nullopt;
          return known && known->is_stateless();
        });
    return std::nullopt;
  }
  const auto revision = model::Revision::parse(text_member(server, "protocolVersion"));
  if (!revision || !revision->has_handshake()) {
    return failure("it answered 'initialize' with a revision that is unknown");
  }
  words.revision = *revision;
  const Json info = server.value("serverInfo", Json());
  words.name = text_member(info, "name");
  words.version = text_member(info, "version");
  return std::nullopt;
}

std::variant<Vocabulary, transport::Failure> take_survey(const harness::TargetAccess& access,
                                                         model::Revision revision,
                                                         const harness::ToolPolicy& tools,
                                                         const harness::Patience& patience,
                                                         std::stop_token stop, Sandbox* sandbox) {
  Vocabulary words;
  words.revision = revision;
  words.sandbox = sandbox;
  const auto opened = harness::connect(access, revision, patience, std::move(stop));
  harness::Connection& connection = *opened;
  bool was_asked_for_roots = false;
  if (sandbox != nullptr) {
    const auto handler = our_handlers(words).find(kRootsMethod)->second;
    connection.on_request(kRootsMethod, [&was_asked_for_roots, handler](const Json& params) {
      was_asked_for_roots = true;
      return handler(params);
    });
  }
  if (auto trouble = connection.open()) return *trouble;
  if (revision.has_handshake()) {
    words.initialize_params = harness::initialize_params(revision);
  } else {
    words.request_meta = harness::request_meta(revision);
  }
  (void)connection.begin();
  if (!connection.has_begun()) {
    connection.close();
    return failure(
        fmt::format("it did not answer '{}' with a result{}{}",
                    revision.has_handshake() ? "initialize" : "server/discover",
                    harness::own_exit(*connection.shared_transcript()),
                    last_words(stderr_without_secrets(connection.child(), access.vault.get()))));
  }
  if (auto trouble = take_greeting(connection, words)) return *trouble;
  take_lists(connection, tools, words);
  if (words.revision.asks_in_results()) take_input_rounds(connection, words);
  connection.close();
  words.asks_for_roots = was_asked_for_roots;
  return words;
}

std::variant<Vocabulary, transport::Failure> survey_in(
    const harness::TargetAccess& access, model::Revision revision, const harness::ToolPolicy& tools,
    const harness::Patience& patience, const std::stop_token& stop, Sandbox* sandbox) {
  try {
    return take_survey(access, revision, tools, patience, stop, sandbox);
  } catch (const harness::Abandoned& reason) {
    return failure(reason.why());
  }
}

}  // namespace

std::variant<Vocabulary, transport::Failure> survey(const harness::TargetAccess& access,
                                                    const harness::ToolPolicy& tools,
                                                    const harness::Patience& patience,
                                                    std::stop_token stop,
                                                    std::optional<model::Revision> revision,
                                                    Sandbox* sandbox) {
  const model::Revision first = revision.value_or(model::Revision::newest_handshake());
  auto words = survey_in(access, first, tools, patience, stop, sandbox);
  const bool is_settled = revision || std::holds_alternative<Vocabulary>(words);
  if (is_settled || stop.stop_requested()) return words;
  const auto stateless = model::Revision::stateless();
  for (auto one = stateless.rbegin(); one != stateless.rend(); ++one) {
    auto others = survey_in(access, *one, tools, patience, stop, sandbox);
    if (std::holds_alternative<Vocabulary>(others)) return others;
  }
  return words;
}

}  // namespace assay::fuzz
