#include "harness/surface/surface.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

struct Part {
  std::string_view list;  // in the answer, and in the document
  const char* key;        // the member that names an item
};

constexpr std::array kParts = {Part{"tools", "name"}, Part{"prompts", "name"},
                               Part{"resources", "uri"}, Part{"resourceTemplates", "uriTemplate"}};

// What differs from one start to the next though the offer is the same.
void drop_passing(Json& item) {
  for (const char* key : {"_meta", "size"}) item.erase(key);
  const auto annotations = item.find("annotations");
  if (annotations != item.end() && annotations->is_object()) annotations->erase("lastModified");
}

Json named_items(const Listing& listing, const char* key) {
  Json items = Json::object();
  for (const Json& item : listing.items) {
    const std::string name(text_member(item, key));
    if (name.empty()) continue;
    Json kept = item;
    drop_passing(kept);
    kept.erase(key);
    items[name] = std::move(kept);
  }
  return items;
}

transport::Failure failure(std::string detail) {
  return {transport::Failure::Kind::kOther, std::move(detail)};
}

// The revisions that the answer to the first request speaks of, of those that we know.
std::set<std::string> revisions_in(const Json& server) {
  std::set<std::string> known;
  const auto note = [&](const Json& text) {
    if (!text.is_string()) return;
    const auto revision = model::Revision::parse(text.get_ref<const std::string&>());
    if (revision) known.emplace(revision->text());
  };
  note(member(server, "protocolVersion"));
  for (const Json& each : array_member(server, "supportedVersions")) note(each);
  return known;
}

struct Look {
  Json server;  // null: it did not begin in that revision
  std::string trouble;
  std::optional<Survey> survey;
};

Look look_in(const TargetAccess& access, model::Revision revision, const Patience& patience,
             const std::stop_token& stop, bool takes_survey) {
  Look look;
  const auto connection = connect(access, revision, patience, stop);
  if (const auto trouble = connection->open()) {
    look.trouble = trouble->detail;
    return look;
  }
  const Reply answer = connection->begin();
  if (connection->has_begun()) {
    look.server = connection->server();
    const bool is_spoken = revisions_in(look.server).contains(std::string(revision.text()));
    if (takes_survey && is_spoken) look.survey = Survey::take(*connection);
  } else {
    look.trouble = answer.describe();
  }
  connection->close();
  return look;
}

std::optional<std::string> trouble_of(const Survey& survey) {
  if (auto gap = survey.gap()) return gap;
  for (const Listing& listing : survey.listings()) {
    if (listing.is_declared && !listing.is_complete) {
      return fmt::format("{}: {}", listing.method,
                         listing.last_reply ? listing.last_reply->describe() : "not asked for");
    }
  }
  return std::nullopt;
}

}  // namespace

Json surface_of(const Survey& survey, const Json& server, const std::set<std::string>& revisions) {
  Json document = {{"format", kSurfaceFormat},
                   {"server", {{"name", member(server_info(server), "name")}}},
                   {"revisions", revisions},
                   {"capabilities", server.value("capabilities", Json::object())}};
  for (const Part& part : kParts) {
    for (const Listing& listing : survey.listings()) {
      if (listing.member == part.list) {
        document[std::string(part.list)] = named_items(listing, part.key);
      }
    }
  }
  return document;
}

std::variant<Json, transport::Failure> read_surface(const TargetAccess& access,
                                                    const Patience& patience,
                                                    const std::stop_token& stop) {
  std::set<std::string> spoken;
  std::optional<Look> best;
  std::string trouble = "it speaks no revision that is known here";
  try {
    for (std::size_t i = model::Revision::all().size(); i-- > 0 && !stop.stop_requested();) {
      const model::Revision revision = model::Revision::all()[i];
      Look look = look_in(access, revision, patience, stop, !best.has_value());
      if (look.server.is_null()) {
        trouble = fmt::format("it did not begin in {}: {}", revision.text(), look.trouble);
        continue;
      }
      spoken.merge(revisions_in(look.server));
      if (look.survey) best = std::move(look);
    }
  } catch (const Abandoned& reason) {
    return failure(reason.why());
  }
  if (stop.stop_requested()) return failure("interrupted");
  if (!best) return failure(trouble);
  if (auto gap = trouble_of(*best->survey)) return failure(*std::move(gap));
  return surface_of(*best->survey, best->server, spoken);
}

std::optional<std::string> surface_trouble(const Json& document) {
  if (member(document, "format") != kSurfaceFormat) {
    return fmt::format("is not a surface of a server: \"format\" is not \"{}\"", kSurfaceFormat);
  }
  if (!member(document, "revisions").is_array()) return "lacks the list \"revisions\"";
  for (const Part& part : kParts) {
    const Json& items = member(document, part.list);
    if (!items.is_object()) return fmt::format("lacks the object \"{}\"", part.list);
    for (const Json& item : items) {
      if (!item.is_object())
        return fmt::format("has an item of \"{}\" that is not an object", part.list);
    }
  }
  return std::nullopt;
}

}  // namespace assay::harness
