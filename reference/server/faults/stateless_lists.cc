// Faults of caching hints, of lists and of cursors where there is no session. Specification:
// server/utilities/caching, server/utilities/pagination, server/tools, server/resources,
// server/prompts (since 2026-07-28).
#include <algorithm>

#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

template <const char* kMethod>
void leave_out_hints(Departure& d) {
  if (!d.is_result_of(kMethod)) return;
  d.result().erase("ttlMs");
  d.result().erase("cacheScope");
}
template <const char* kMethod>
void leave_out_scope(Departure& d) {
  if (d.is_result_of(kMethod)) d.result().erase("cacheScope");
}
template <const char* kMethod>
void leave_out_ttl(Departure& d) {
  if (d.is_result_of(kMethod)) d.result().erase("ttlMs");
}
constexpr char kDiscoverMethod[] = "server/discover";
constexpr char kToolsMethod[] = "tools/list";
constexpr char kPromptsMethod[] = "prompts/list";
constexpr char kResourcesMethod[] = "resources/list";
constexpr char kTemplatesMethod[] = "resources/templates/list";
constexpr char kReadMethod[] = "resources/read";

Fault hint_fault(std::string_view id, std::string_view description, std::string_view breaks,
                 void (*departure)(Departure&)) {
  return {.id = id, .description = description, .breaks = {breaks}, .departure = departure};
}

std::vector<Fault> caching_faults() {
  return {
      hint_fault("discover-uncacheable", "Gives no caching hints with server/discover",
                 "caching.hints-on-discover", leave_out_hints<kDiscoverMethod>),
      hint_fault("tools-uncacheable", "Gives no caching hints with its tools",
                 "caching.hints-on-tools-list", leave_out_hints<kToolsMethod>),
      hint_fault("prompts-uncacheable", "Gives no caching hints with its prompts",
                 "caching.hints-on-prompts-list", leave_out_hints<kPromptsMethod>),
      hint_fault("resources-uncacheable", "Gives no caching hints with its resources",
                 "caching.hints-on-resources-list", leave_out_hints<kResourcesMethod>),
      hint_fault("templates-uncacheable", "Gives no caching hints with its resource templates",
                 "caching.hints-on-resources-templates-list", leave_out_hints<kTemplatesMethod>),
      hint_fault("reads-uncacheable", "Gives no caching hints with what is read",
                 "caching.hints-on-resources-read", leave_out_hints<kReadMethod>),
      hint_fault("tools-without-scope", "Does not say who may cache its tools",
                 "caching.hints-on-tools-list", leave_out_scope<kToolsMethod>),
      hint_fault("reads-without-scope", "Does not say who may cache what is read",
                 "caching.hints-on-resources-read", leave_out_scope<kReadMethod>),
      hint_fault("prompts-without-ttl", "Does not say how long its prompts stay fresh",
                 "caching.hints-on-prompts-list", leave_out_ttl<kPromptsMethod>),
      hint_fault("discover-without-ttl", "Does not say how long server/discover stays fresh",
                 "caching.hints-on-discover", leave_out_ttl<kDiscoverMethod>),
      {.id = "ttl-negative",
       .description = "Lets its tools be stale before they are given",
       .breaks = {"caching.ttl-not-negative"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of(kToolsMethod)) d.result()["ttlMs"] = -1;
           }},
      {.id = "ttl-of-reads-negative",
       .description = "Lets what is read be stale before it is given",
       .breaks = {"caching.ttl-not-negative"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of(kReadMethod) && d.result().contains("ttlMs")) {
               d.result()["ttlMs"] = -60000;
             }
           }},
      {.id = "scope-of-next-pages",
       .description = "Gives the first page of its tools to one, and the next ones to everybody",
       .breaks = {"caching.scope-same-on-pages"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of(kToolsMethod) && asked_params(d).contains("cursor")) {
               d.result()["cacheScope"] = "public";
             }
           }},
      {.id = "scope-of-last-page",
       .description = "Gives the last page of its resources to one, and the others to everybody",
       .breaks = {"caching.scope-same-on-pages"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of(kResourcesMethod) && asked_params(d).contains("cursor") &&
                 !d.result().contains("nextCursor")) {
               d.result()["cacheScope"] = "private";
             }
           }},
  };
}

// The items of a list that leaves; null for everything else.
Json* items_of(Departure& d) {
  if (!d.is_result()) return nullptr;
  for (const char* key : {"tools", "prompts", "resources", "resourceTemplates"}) {
    if (d.result().contains(key) && d.result()[key].is_array()) return &d.result()[key];
  }
  return nullptr;
}

template <const char* kMethod>
void refuse_list(Departure& d) {
  if (d.is_result_of(kMethod)) become_error(d, wire::kInternalError, "No list today");
}

std::vector<Fault> refused_list_faults() {
  return {
      {.id = "tools-unlisted",
       .description = "Has tools, and answers tools/list with an error",
       .breaks = {"tools.list-answered", "lifecycle.declared-capabilities-served"},
       .departure = refuse_list<kToolsMethod>},
      {.id = "prompts-unlisted",
       .description = "Has prompts, and answers prompts/list with an error",
       .breaks = {"prompts.list-answered", "lifecycle.declared-capabilities-served"},
       .departure = refuse_list<kPromptsMethod>},
      {.id = "resources-unlisted",
       .description = "Has resources, and answers resources/list with an error",
       .breaks = {"resources.list-answered", "lifecycle.declared-capabilities-served"},
       .departure = refuse_list<kResourcesMethod>},
      {.id = "prompt-name-unsafe",
       .description = "Has a prompt whose name no header can carry as it is",
       .breaks = {"http.header-safe-names"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of(kPromptsMethod) || d.result()["prompts"].empty()) return;
             Json prompt = d.result()["prompts"][0];
             prompt["name"] = "greet the w\u00f6rld";
             d.result()["prompts"].push_back(std::move(prompt));
           }},
  };
}

// Once a tool was called, the last one of that list is gone.
template <const char* kMethod>
void forget_after_calls(Departure& d, FaultMemory& memory) {
  if (d.is_result_of("tools/call")) memory.of_server["called"] = true;
  if (!d.is_result_of(kMethod) || !memory.of_server.contains("called")) return;
  if (Json* const items = items_of(d); items != nullptr && !items->empty()) {
    items->erase(items->size() - 1);
  }
}

// Each second connection is not told of the last item.
template <const char* kMethod>
void vary_by_connection(Departure& d, FaultMemory& memory) {
  if (!d.is_result_of(kMethod)) return;
  const bool is_varied = is_each_second(memory);
  Json* const items = items_of(d);
  if (is_varied && items != nullptr && !items->empty()) items->erase(items->size() - 1);
}

std::vector<Fault> varying_list_faults() {
  return {
      side_effect_fault("tools-forgotten-after-calls", "Loses a tool when one was called",
                        "tools.list-free-of-side-effects", forget_after_calls<kToolsMethod>),
      side_effect_fault("prompts-forgotten-after-calls", "Loses a prompt when a tool was called",
                        "prompts.list-free-of-side-effects", forget_after_calls<kPromptsMethod>),
      side_effect_fault(
          "resources-forgotten-after-calls", "Loses a resource when a tool was called",
          "resources.list-free-of-side-effects", forget_after_calls<kResourcesMethod>),
      connection_fault("tools-by-connection", "Has other tools for each second connection",
                       "tools.list-same-on-every-connection", vary_by_connection<kToolsMethod>),
      connection_fault("prompts-by-connection", "Has other prompts for each second connection",
                       "prompts.list-same-on-every-connection", vary_by_connection<kPromptsMethod>),
      connection_fault("resources-by-connection", "Has other resources for each second connection",
                       "resources.list-same-on-every-connection",
                       vary_by_connection<kResourcesMethod>),
      {.id = "tools-shuffled",
       .description = "Lists its tools in another order each time",
       .breaks = {"tools.list-order-deterministic"},
       .may_break = {"stateless.no-prior-context", "tools.list-same-on-every-connection",
                     "tools.list-free-of-side-effects", "pagination.stable-cursors"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result_of(kToolsMethod)) return;
             const int turn = memory.of_server.value("lists", 0);
             memory.of_server["lists"] = turn + 1;
             Json* const items = items_of(d);
             if (items == nullptr || items->empty()) return;
             const auto steps = turn % static_cast<int>(items->size());
             std::rotate(items->begin(), items->begin() + steps, items->end());
           }},
      {.id = "cursors-of-one-connection",
       .description = "Knows no cursor that it gave out on another connection",
       .breaks = {"stateless.connection-not-required"},
       .may_break = {"stateless.no-prior-context", "pagination.stable-cursors",
                     "tools.list-answered", "prompts.list-answered", "resources.list-answered"},
       .seen_over = SeenOver::kStdioOnly,
       .intake =
           [](Json& request, FaultMemory& memory) {
             const auto cursor = string_member(member(request, "params"), "cursor");
             if (cursor && !memory.of_connection.contains(*cursor)) {
               request["params"]["cursor"] = "of another connection";
             }
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result()) return;
             const auto next = string_member(d.result(), "nextCursor");
             if (next) memory.of_connection[*next] = true;
           }},
      {.id = "connection-wants-discovery",
       .description = "Serves no request of a connection that did not begin with server/discover",
       .breaks = {"stateless.no-prior-context"},
       .may_break = {"stateless.connection-not-required", "versioning.implemented",
                     "versioning.initialize-error-names-versions"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (d.answers("server/discover")) memory.of_connection["known"] = true;
             if (d.request() == nullptr || memory.of_connection.contains("known")) return;
             become_error(d, wire::kInvalidRequest, "Call server/discover first");
           }},
      {.id = "server-wants-discovery",
       .description = "Serves no request until it was asked what it speaks",
       .breaks = {"stateless.no-prior-context"},
       .may_break = {"versioning.implemented", "stateless.connection-not-required",
                     "versioning.initialize-error-names-versions"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (d.answers("server/discover")) memory.of_server["known"] = true;
             if (d.request() == nullptr || memory.of_server.contains("known")) return;
             become_error(d, wire::kInvalidRequest, "Call server/discover first");
           }},
      {.id = "behaves-by-client-name",
       .description = "Serves only clients that say who they are",
       .breaks = {"meta.info-no-behavior"},
       .departure =
           [](Departure& d) {
             const Json& meta = member(asked_params(d), "_meta");
             if (d.is_result() && !meta.contains(kClientInfoKey)) {
               become_error(d, wire::kInvalidRequest, "Who are you?");
             }
           }},
      {.id = "behaves-by-client-version",
       .description = "Serves no client whose name it does not know",
       .breaks = {"meta.info-no-behavior"},
       .may_break = {"stateless.interleaved-conversations"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             const Json& info = member(member(asked_params(d), "_meta"), kClientInfoKey);
             if (!d.is_result() || !info.is_object()) return;
             if (!memory.of_server.contains("name")) memory.of_server["name"] = info["name"];
             if (memory.of_server["name"] != info["name"]) {
               become_error(d, wire::kInvalidRequest, "Unknown client");
             }
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_list_faults() {
  return of_stateless_era({caching_faults, refused_list_faults, varying_list_faults});
}

}  // namespace assay::server
