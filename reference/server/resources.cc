// Specification: server/resources.
#include "reference/server/resources.h"

#include <algorithm>
#include <array>

#include "reference/model/formats.h"
#include "reference/server/apps.h"
#include "reference/server/call.h"
#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/inputs.h"
#include "reference/server/pagination.h"
#include "reference/server/session.h"
#include "reference/server/skills.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

struct Resource {
  std::string_view uri;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view mime_type;
  std::string_view text;  // empty for a binary one, whose bytes are the sample image
  // Which revisions have what the resource shows; every one where this is null.
  model::Revision::Question exists = nullptr;
};

constexpr std::string_view kAskingUri = "test://input-required-result";

constexpr std::array kResources = {
    Resource{"test://static-text", "static-text", "Static text", "A text that never changes",
             "text/plain", "This is the content of the static text resource."},
    Resource{"test://static-binary", "static-binary", "Static binary", "An image of one pixel",
             "image/png", ""},
    Resource{"test://watched-resource", "watched-resource", "Watched resource",
             "Changes when the tool test_trigger_resource_update is called", "text/plain",
             "This is the content of the watched resource."},
    Resource{"test://example-resource", "example-resource", "Example resource",
             "What the prompts embed", "text/plain", "This is an example resource."},
    Resource{"test://embedded-resource", "embedded-resource", "Embedded resource",
             "What test_embedded_resource embeds", "text/plain",
             "This is an embedded resource content."},
    Resource{"test://mixed-content-resource", "mixed-content-resource", "Mixed content resource",
             "What test_multiple_content_types embeds", "application/json",
             R"({"test":"data","value":123})"},
    Resource{"test://stateless-static-text", "stateless-static-text", "Stateless static text",
             "A text that needs no session", "text/plain",
             "This is the content of the stateless static text resource.",
             &model::Revision::asks_in_results},
    Resource{kAskingUri, "input-required-result", "Resource that asks",
             "Is read when the user has confirmed it", "text/plain",
             "This resource was read with the consent of the user.",
             &model::Revision::asks_in_results},
};

constexpr Resource kExtraResource = {"test://extra-resource",
                                     "extra-resource",
                                     "Extra resource",
                                     "Comes and goes with test_trigger_resource_change",
                                     "text/plain",
                                     "This resource is not always here."};

struct Template {
  std::string_view prefix;  // of a URI that the template matches, up to its variable
  std::string_view suffix;
  std::string_view uri_template;
  std::string_view variable;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view mime_type;
  std::string_view only = "";  // the one value that names something; empty: every value does
};

constexpr std::array kTemplates = {
    Template{"test://template/", "/data", "test://template/{id}/data", "id", "template-data",
             "Templated data", "JSON that contains the id", "application/json"},
    Template{"test://items/", "", "test://items/{id}", "id", "template-item", "Templated item",
             "JSON that contains the id", "application/json"},
    // Files that are kept in memory, so that no path leads to one of the machine's.
    Template{"file:///assay/files/", "", "file:///assay/files/{name}", "name", "files", "Files",
             "The file notes.txt, which exists in memory only", "text/plain", "notes.txt"},
};

std::vector<const Resource*> resources_of(const Context& context) {
  std::vector<const Resource*> resources;
  for (const Resource& resource : kResources) {
    if (context.speaks().satisfies(resource.exists)) resources.push_back(&resource);
  }
  if (context.has_extra(Context::Extra::kResource)) resources.push_back(&kExtraResource);
  return resources;
}

template <typename Item>
Json describe(const Context& context, const Item& item) {
  Json json = {{"name", item.name}, {"description", item.description}};
  if (context.speaks().has_titles()) json["title"] = item.title;
  if (context.speaks().has_icons()) json["icons"] = sample_icons();
  return json;
}

// What the variable of the template stands for in `uri`; nothing if it does not match.
std::optional<std::string_view> match(const Template& candidate, std::string_view uri) {
  const std::size_t fixed = candidate.prefix.size() + candidate.suffix.size();
  if (uri.size() <= fixed || !uri.starts_with(candidate.prefix)) return std::nullopt;
  if (!uri.ends_with(candidate.suffix)) return std::nullopt;
  const std::string_view value = uri.substr(candidate.prefix.size(), uri.size() - fixed);
  if (value.find('/') != std::string_view::npos) return std::nullopt;
  return value;
}

std::optional<Json> contents_of(const Context& context, std::string_view uri) {
  for (const Resource* resource : resources_of(context)) {
    if (resource->uri != uri) continue;
    Json contents = {{"uri", uri}, {"mimeType", resource->mime_type}};
    if (resource->text.empty()) {
      contents["blob"] = kPngBase64;
    } else {
      contents["text"] = resource->text;
    }
    return contents;
  }
  if (auto file = skill_file_contents(context, uri)) return file;
  if (auto app = app_contents(context, uri)) return app;
  // What is no URI names no resource, and could not be given back as one.
  if (!model::has_format(model::Format::kUri, uri)) return std::nullopt;
  for (const Template& candidate : kTemplates) {
    const std::optional<std::string_view> value = match(candidate, uri);
    if (!value) continue;
    Json contents = {{"uri", uri}, {"mimeType", candidate.mime_type}};
    if (!candidate.only.empty()) {
      if (*value != candidate.only) return std::nullopt;
      contents["text"] = "These are the notes.";
      return contents;
    }
    const Json data = {
        {"id", *value}, {"templateTest", true}, {"data", "Data for ID: " + std::string(*value)}};
    contents["text"] = wire::encode(data);
    return contents;
  }
  return std::nullopt;
}

Refusal resource_not_found(const Context& context, const std::string& uri) {
  const std::int64_t code = context.speaks().has_resource_not_found_code() ? wire::kResourceNotFound
                                                                           : wire::kInvalidParams;
  return {code, "Resource not found", {{"uri", uri}}};
}

std::optional<Answer> ask_for_consent(const Context& context) {
  InputRound round(context);
  const Json* const answer = round.elicit("confirm", "May this resource be read?",
                                          {{"type", "object"},
                                           {"properties", {{"ok", {{"type", "boolean"}}}}},
                                           {"required", Json::array({"ok"})}});
  if (auto unfinished = round.unfinished()) return unfinished;
  if (member(member(*answer, "content"), "ok") == true) return std::nullopt;
  return Refusal{wire::kInternalError, "The user did not let the resource be read"};
}

}  // namespace

Answer list_resources(Context& context, Call& call) {
  const std::vector<const Resource*> resources = resources_of(context);
  const std::vector<Json> apps = app_resources(context);
  const std::size_t count = resources.size() + apps.size();
  return paginate(context, call.params(), "resources", count, [&](std::size_t i) {
    if (i >= resources.size()) return apps[i - resources.size()];
    Json json = describe(context, *resources[i]);
    json["uri"] = resources[i]->uri;
    json["mimeType"] = resources[i]->mime_type;
    return json;
  });
}

Answer list_resource_templates(Context& context, Call& call) {
  return paginate(context, call.params(), "resourceTemplates", kTemplates.size(),
                  [&](std::size_t i) {
                    Json json = describe(context, kTemplates[i]);
                    json["uriTemplate"] = kTemplates[i].uri_template;
                    json["mimeType"] = kTemplates[i].mime_type;
                    return json;
                  });
}

Answer read_resource(Context& context, Call& call) {
  const std::optional<std::string> uri = string_member(call.params(), "uri");
  if (!uri) return invalid_params("uri must be a string");
  std::optional<Json> contents = contents_of(context, *uri);
  if (!contents) return resource_not_found(context, *uri);
  if (*uri == kAskingUri) {
    if (auto unfinished = ask_for_consent(context)) return *std::move(unfinished);
  }
  return Json{{"contents", Json::array({*std::move(contents)})}};
}

Answer subscribe(Session& session, Call& call) {
  const std::optional<std::string> uri = string_member(call.params(), "uri");
  if (!uri || uri->size() > session.options().bounds.uri_bytes) {
    return invalid_params("uri must be a string of reasonable length");
  }
  if (!contents_of(session, *uri)) return resource_not_found(session, *uri);
  if (!session.subscribe(*uri)) return Refusal{wire::kInternalError, "Too many subscriptions"};
  return kEmptyResult;
}

Answer unsubscribe(Session& session, Call& call) {
  const std::optional<std::string> uri = string_member(call.params(), "uri");
  if (!uri) return invalid_params("uri must be a string");
  session.unsubscribe(*uri);
  return kEmptyResult;
}

bool has_resource(const Context& context, std::string_view uri) {
  return contents_of(context, uri).has_value();
}

std::optional<std::string_view> variable_of(std::string_view uri_template) {
  for (const Template& candidate : kTemplates) {
    if (candidate.uri_template == uri_template) return candidate.variable;
  }
  return std::nullopt;
}

}  // namespace assay::server
