// Faults that show in one place out of many, or only later, where there are no sessions: the second
// page, what a template gives, a list after something else was asked. Specification of 2026-07-28:
// server/utilities/caching, server/tools, server/resources, server/prompts, basic, and
// basic/transports/streamable-http.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/model/uri_reference.h"
#include "reference/server/faults/overlooked.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// --- Caching ---

template <Literal kMethod>
bool later_page_of(const Departure& d) {
  return d.is_result_of(kMethod.text()) && asked_params(d).contains("cursor");
}

// What a template gives, which no list names.
bool read_of_template(const Departure& d) {
  return d.is_result_of("resources/read") && asked_uri(d).starts_with("test://template/");
}

std::vector<Fault> seldom_cached() {
  return {
      {.id = "page-two-uncacheable",
       .description = "Gives no caching hints with the later pages of its tools",
       .breaks = {"caching.hints-on-tools-list"},
       .departure =
           [](Departure& d) {
             if (!later_page_of<"tools/list">(d)) return;
             d.result().erase("ttlMs");
             d.result().erase("cacheScope");
           }},
      {.id = "page-two-without-scope",
       .description = "Does not say who may cache the later pages of its resources",
       .breaks = {"caching.hints-on-resources-list"},
       .may_break = {"caching.scope-same-on-pages"},
       .departure = erases<later_page_of<"resources/list">, "/result/cacheScope">},
      {.id = "page-two-stale",
       .description = "Lets the later pages of its prompts be stale before they are given",
       .breaks = {"caching.ttl-not-negative"},
       .departure = sets<later_page_of<"prompts/list">, "/result/ttlMs", -5>},
      {.id = "scope-of-later-prompts",
       .description = "Gives the first page of its prompts to everybody, and the next ones to one",
       .breaks = {"caching.scope-same-on-pages"},
       .departure = sets<later_page_of<"prompts/list">, "/result/cacheScope", "private">},
      {.id = "templates-without-scope",
       .description = "Does not say who may cache its resource templates",
       .breaks = {"caching.hints-on-resources-templates-list"},
       .departure = erases<result_of<"resources/templates/list">, "/result/cacheScope">},
      {.id = "resources-without-ttl",
       .description = "Does not say how long its resources stay fresh",
       .breaks = {"caching.hints-on-resources-list"},
       .departure = erases<result_of<"resources/list">, "/result/ttlMs">},
      {.id = "discover-stale",
       .description = "Lets server/discover be stale before it is given",
       .breaks = {"caching.ttl-not-negative"},
       .departure = sets<result_of<"server/discover">, "/result/ttlMs", -1000>},
      {.id = "reads-of-templates-uncacheable",
       .description = "Gives no caching hints with what a template gives",
       .breaks = {"caching.hints-on-resources-read"},
       .departure =
           [](Departure& d) {
             if (!read_of_template(d)) return;
             d.result().erase("ttlMs");
             d.result().erase("cacheScope");
           }},
  };
}

// --- Lists that another request changes ---

constexpr const char* kAsked = "asked";

template <Literal kMethod>
void note_asked(const Departure& d, FaultMemory& memory) {
  if (d.answers(kMethod.text())) memory.of_server[kAsked] = true;
}

bool was_asked(const FaultMemory& memory) {
  return memory.of_server.contains(kAsked);
}

// After the request `kMethod` was answered, the last of the list is gone.
template <Literal kMethod, Literal kList, Literal kItems>
void forget_after(Departure& d, FaultMemory& memory) {
  note_asked<kMethod>(d, memory);
  if (!d.is_result_of(kList.text()) || !was_asked(memory)) return;
  Json& items = d.result()[std::string(kItems.text())];
  if (items.is_array() && !items.empty()) items.erase(items.size() - 1);
}

// After it, the list has one more.
template <Literal kMethod, Literal kList, Literal kItems>
void add_after(Departure& d, FaultMemory& memory) {
  note_asked<kMethod>(d, memory);
  if (!d.is_result_of(kList.text()) || !was_asked(memory) || d.result().contains("nextCursor")) {
    return;
  }
  list_one_more(d.result()[std::string(kItems.text())], "made-on-the-way");
}

std::vector<Fault> seldom_listed() {
  return {
      side_effect_fault("tools-forgotten-after-reads", "Loses a tool when a resource was read",
                        "tools.list-free-of-side-effects",
                        forget_after<"resources/read", "tools/list", "tools">),
      side_effect_fault("tools-forgotten-after-lists", "Loses a tool when its prompts were listed",
                        "tools.list-free-of-side-effects",
                        forget_after<"prompts/list", "tools/list", "tools">),
      side_effect_fault("prompts-forgotten-after-prompts", "Loses a prompt when one was made",
                        "prompts.list-free-of-side-effects",
                        forget_after<"prompts/get", "prompts/list", "prompts">),
      side_effect_fault("resources-forgotten-after-reads", "Loses a resource when one was read",
                        "resources.list-free-of-side-effects",
                        forget_after<"resources/read", "resources/list", "resources">),
      side_effect_fault("tools-made-by-calls", "Lists a tool more when one was called",
                        "tools.list-free-of-side-effects",
                        add_after<"tools/call", "tools/list", "tools">),
      side_effect_fault("resources-made-by-reads", "Lists a resource more when one was read",
                        "resources.list-free-of-side-effects",
                        add_after<"resources/read", "resources/list", "resources">),
      side_effect_fault("resources-made-by-completions",
                        "Lists a resource more when an argument was completed",
                        "resources.list-free-of-side-effects",
                        add_after<"completion/complete", "resources/list", "resources">),
  };
}

// --- Codes and progress ---

constexpr std::int64_t kFirstForNobody = -32051;
constexpr std::int64_t kLastReserved = -32099;

template <Literal kMethod>
bool refusal_of(const Departure& d) {
  return d.is_error() && d.answers(kMethod.text());
}

std::vector<Fault> seldom_coded() {
  return {
      {.id = "reserved-code-of-prompts",
       .description = "Refuses prompts with a code that is reserved",
       .breaks = {"jsonrpc.reserved-codes-not-emitted"},
       .may_break = {"prompts.unknown-name-error", "prompts.missing-argument-error",
                     "meta.missing-field-rejected", "versioning.unsupported-version-error",
                     "http.header-failure-error"},
       .departure = recodes<refusal_of<"prompts/get">, kFirstForNobody>},
      {.id = "reserved-code-of-completions",
       .description = "Refuses completions with the last of the codes that are reserved",
       .breaks = {"jsonrpc.reserved-codes-not-emitted"},
       .may_break = {"completion.unknown-prompt-error", "completion.missing-argument-error",
                     "meta.missing-field-rejected", "versioning.unsupported-version-error"},
       .departure = recodes<refusal_of<"completion/complete">, kLastReserved>},
      {.id = "discover-without-versions",
       .description = "Lists no version in server/discover",
       .breaks = {"discover.implemented"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("server/discover")) {
               d.result()["supportedVersions"] = Json::array();
             }
           }},
      {.id = "missing-capability-of-other-mode",
       .description = "Lists elicitation by URL as missing where a form is",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"jsonrpc.reserved-codes-meaning"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability)) return;
             Json& required = d.json()["error"]["data"]["requiredCapabilities"];
             if (!required.is_object() || !required.contains("elicitation")) return;
             required["elicitation"] = {{"url", Json::object()}};
           }},
      {.id = "result-type-of-prompts-left-out",
       .description = "Leaves the resultType of prompts out",
       .breaks = {"jsonrpc.result-type"},
       .may_break = {"schema.prompts-get-result"},
       .departure = erases<result_of<"prompts/get">, "/result/resultType">},
      {.id = "result-type-of-reads-left-out",
       .description = "Leaves the resultType of what is read out",
       .breaks = {"jsonrpc.result-type"},
       .departure = erases<result_of<"resources/read">, "/result/resultType">},
      {.id = "result-type-of-completions-left-out",
       .description = "Leaves the resultType of completions out",
       .breaks = {"jsonrpc.result-type"},
       .departure = erases<result_of<"completion/complete">, "/result/resultType">},
      {.id = "result-type-of-discovery-left-out",
       .description = "Leaves the resultType of server/discover out",
       .breaks = {"jsonrpc.result-type"},
       .may_break = {"discover.implemented", "versioning.implemented"},
       .departure = erases<result_of<"server/discover">, "/result/resultType">},
      {.id = "progress-told-twice",
       .description = "Reports the last progress of a call twice",
       .breaks = {"progress.value-increases"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             const Json& params = d.params();
             if (params.contains("total") && params["total"] == params["progress"]) {
               d.after(d.text());
             }
           }},
  };
}

// --- Header fields ---

constexpr std::int64_t kHeaderMismatch = -32020;
constexpr int kOk = 200;

// How requests of that method are refused for their header fields.
template <Literal kMethod>
void refuse_with_200(const transport::HttpHead&, std::string_view body,
                     transport::HttpReply& reply) {
  if (method_of(Json::parse(body, nullptr, false)) != kMethod.text()) return;
  const Json answer = Json::parse(reply.body, nullptr, false);
  if (member(member(answer, "error"), "code") == kHeaderMismatch) reply.status = kOk;
}

template <Literal kMethod>
void refuse_as_invalid(const transport::HttpHead&, std::string_view body,
                       transport::HttpReply& reply) {
  if (method_of(Json::parse(body, nullptr, false)) != kMethod.text()) return;
  Json answer = Json::parse(reply.body, nullptr, false);
  if (member(member(answer, "error"), "code") != kHeaderMismatch) return;
  answer["error"]["code"] = wire::kInvalidRequest;
  reply.body = answer.dump();
}

// Takes %61 for an a, as a router does in paths.
void decode_name(const Json&, transport::HttpHead& head) {
  for (auto& [name, value] : head.headers) {
    if (transport::lower_case(name) != transport::lower_case(transport::kNameHeader)) continue;
    value = model::percent_decoded(value);
  }
}

std::vector<Fault> seldom_read() {
  return {
      {.id = "name-header-percent-decoded",
       .description = "Decodes percent signs in Mcp-Name",
       .breaks = {"http.header-body-mismatch-rejected"},
       .may_break = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears = decode_name},
      unchecked_origin_of<"tools/list">("origin-of-lists-unchecked",
                                        "Lists its tools for pages of any origin"),
      unchecked_origin_of<"tools/call">("origin-of-calls-unchecked",
                                        "Calls its tools for pages of any origin"),
      unchecked_origin_of<"subscriptions/listen">("origin-of-listeners-unchecked",
                                                  "Tells pages of any origin of its changes"),
      unchecked_origin_of<"server/discover">("origin-of-discovery-unchecked",
                                             "Tells pages of any origin what it is"),
      {.id = "mismatch-of-prompts-200",
       .description = "Refuses prompts whose headers do not match with status 200",
       .breaks = {"http.header-failure-400"},
       .may_break = {"http.version-mismatch-rejected", "http.header-body-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .reply = refuse_with_200<"prompts/get">},
      {.id = "mismatch-of-reads-other-code",
       .description = "Refuses reads whose headers do not match with -32600",
       .breaks = {"http.header-failure-error"},
       .may_break = {"http.version-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .reply = refuse_as_invalid<"resources/read">},
      {.id = "mismatch-of-lists-other-code",
       .description = "Refuses lists whose headers do not match with -32600",
       .breaks = {"http.header-failure-error"},
       .may_break = {"http.version-mismatch-rejected"},
       .seen_over = SeenOver::kHttpOnly,
       .reply = refuse_as_invalid<"tools/list">},
  };
}

// --- What a client of before declared ---

// By the name of the client, as where each has an account.
void remember_by_name(Json& message, FaultMemory& memory) {
  if (!has_meta(message)) return;
  Json& declared = meta_of(message)[kClientCapabilitiesKey];
  const auto name = string_member(member(meta_of(message), kClientInfoKey), "name");
  if (!declared.is_object() || !name) return;
  Json& kept = memory.of_server["by name"][*name];
  if (kept.is_null()) kept = Json::object();
  kept.update(declared);
  declared = kept;
}

std::vector<Fault> seldom_forgotten() {
  return {
      remembered_capabilities_fault(
          "capabilities-of-name-remembered",
          "Takes what a client declared once for all that names itself so", remember_by_name),
  };
}

}  // namespace

std::vector<Fault> stateless_seldom_faults() {
  return of_stateless_era(
      {seldom_cached, seldom_listed, seldom_coded, seldom_read, seldom_forgotten});
}

}  // namespace assay::server
