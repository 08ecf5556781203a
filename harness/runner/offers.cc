#include "harness/runner/offers.h"

#include <algorithm>
#include <array>

#include "harness/script/header_annotations.h"
#include "harness/script/json_member.h"
#include "harness/script/task_trial.h"
#include "reference/transport/http_client.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

// A list that the server refuses as a method that it does not know is empty.
bool is_read_whole(const Listing& listing) {
  if (!listing.is_declared || listing.is_complete) return true;
  return listing.last_reply && listing.pages == 0 &&
         listing.last_reply->is_error(wire::kMethodNotFound);
}

bool is_item(const Json& item) {
  return item.is_object();
}

bool is_file(const Json& resource) {
  constexpr std::string_view kScheme = "file:";
  for (const char* key : {"uri", "uriTemplate"}) {
    if (lower_case(text_member(resource, key).substr(0, kScheme.size())) == kScheme) return true;
  }
  return false;
}

bool has_output_schema(const Json& tool) {
  return !member(tool, "outputSchema").is_null();
}

bool has_header_annotation(const Json& tool) {
  return !header_annotations(member(tool, "inputSchema")).empty();
}

bool can_be_task(const Json& tool) {
  return task_support(tool) != "forbidden";
}

constexpr std::array<std::string_view, 4> kSubscribable = {
    "tools.listChanged", "prompts.listChanged", "resources.listChanged", "resources.subscribe"};

// What at least one item of these lists has to be.
struct ListedNeed {
  std::string_view need;
  const Listing& (Survey::*list)() const;
  const Listing& (Survey::*other)() const;  // may be the same
  bool (*fits)(const Json& item);
  std::string_view lack;
};

constexpr std::array kListedNeeds = {
    ListedNeed{"prompts", &Survey::prompts, &Survey::prompts, is_item,
               "the server lists no prompt"},
    ListedNeed{"resources", &Survey::resources, &Survey::resource_templates, is_item,
               "the server lists no resource"},
    ListedNeed{"files", &Survey::resources, &Survey::resource_templates, is_file,
               "the server lists no resource with a file URI"},
    ListedNeed{"output-schemas", &Survey::tools, &Survey::tools, has_output_schema,
               "no tool of the server has an outputSchema"},
    ListedNeed{"header-annotations", &Survey::tools, &Survey::tools, has_header_annotation,
               "no schema of the server's tools has x-mcp-header"},
    ListedNeed{"task-tools", &Survey::tools, &Survey::tools, can_be_task,
               "no tool of the server can be called as a task"},
};

bool lacks(const Survey& survey, const ListedNeed& need) {
  for (const auto list : {need.list, need.other}) {
    const Listing& listing = (survey.*list)();
    if (!is_read_whole(listing)) return false;
    if (std::any_of(listing.items.begin(), listing.items.end(), need.fits)) return false;
  }
  return true;
}

}  // namespace

Offers::Offers(const Survey& survey, Connection& first) {
  for (const ListedNeed& each : kListedNeeds) {
    if (lacks(survey, each)) lacks_.emplace(each.need, each.lack);
  }
  const auto& all = survey.listings();
  const bool has_one_page = std::all_of(all.begin(), all.end(), [](const Listing& listing) {
    return is_read_whole(listing) && listing.pages <= 1;
  });
  if (has_one_page) lacks_.emplace("pages", "no list of the server has a second page");
  const bool can_subscribe =
      std::any_of(kSubscribable.begin(), kSubscribable.end(),
                  [&](std::string_view path) { return first.has_capability(path); });
  if (!can_subscribe) {
    lacks_.emplace("subscriptions", "the server declares nothing that can be subscribed to");
  }
  if (!first.has_capability("extensions")) {
    lacks_.emplace("extensions", "the server advertises no extension");
  }
  if (first.http() != nullptr && !first.http()->session_id()) {
    lacks_.emplace("sessions", "the server assigns no session id");
  }
}

std::string Offers::lack_of(std::string_view need) const {
  const auto found = lacks_.find(need);
  return found == lacks_.end() ? std::string() : found->second;
}

}  // namespace assay::harness
