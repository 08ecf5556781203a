// The catalogue: every normative statement of every revision of the specification, as data.
//
// The data stand in data/<area>.yaml; the build checks them and turns them into constant tables, so
// that everything here is known before main(), lives for ever and never fails. README.md describes
// the format and how to add to it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/requirement_id.h"
#include "reference/model/revision.h"
#include "reports/result.h"

namespace assay::catalogue {

using reports::Level;

// Whom a statement obliges. `kBoth` binds servers and clients; those behind it are third parties,
// whom no run of ours can judge alone.
enum class Subject {
  kServer,
  kClient,
  kBoth,
  kHost,
  kAuthorizationServer,
  kSdk,
  kRegistry,
  kIntermediary,  // proxies, gateways, load balancers
  kExtension,     // authors of extensions to the protocol
};
std::span<const Subject> all_subjects();
std::string_view name(Subject subject);  // "authorization-server"
std::optional<Subject> parse_subject(std::string_view text);

// The transport that a statement is about. `kHttp` is Streamable HTTP, `kHttpSse` the older pair.
enum class Transport { kAny, kStdio, kHttp, kHttpSse };
std::string_view name(Transport transport);  // "http+sse"

enum class Observation {
  kActive,   // a scenario has to provoke the situation
  kPassive,  // a monitor can judge it from any traffic
  kNo,       // no peer can see it; `Requirement::reason` says why
};
std::string_view name(Observation observation);  // "active"

// Where and how strongly a statement stands in one revision.
struct Holding {
  model::Revision revision;
  Level level;
  std::string_view page;    // "server/utilities/pagination"
  std::string_view anchor;  // "error-handling"; empty for what stands above the first heading
  std::string_view note;    // how wording or level differ from the other revisions; mostly empty
  Subject subject = Subject::kBoth;  // whom it obliges in this revision
};

struct Requirement {
  std::string_view id;       // "pagination.invalid-cursor"
  std::string_view summary;  // one sentence of our own
  Subject subject;           // the widest; `subject_in` says whom one revision obliges
  Transport transport;
  // The capability it depends on: "tools", "resources.subscribe" (the server's), "client.sampling"
  // (the client's). Empty if none.
  std::string_view capability;
  Observation observe;
  std::string_view reason;  // for Observation::kNo: why, in a few words
  int added;                // the version of the catalogue that brought it
  bool is_implied;  // no single sentence says it: it follows from the whole of what it links to
  std::span<const Holding> in;  // oldest revision first; never empty
  // Why nobody can see whether servers (or clients) keep a statement that binds both; empty for the
  // side that can be judged, and where `observe` is kNo.
  std::string_view unseen_of_server = {};
  std::string_view unseen_of_client = {};
  // Which part of the statement its checks decide, and what they would let pass; empty where they
  // decide the whole.
  std::string_view part_judged = {};
  // Why nothing may have shown whether it is kept ("no list of the server came in pages"), and what
  // would bring it about ("a list long enough for two pages"; empty if nothing of the user's does).
  std::string_view unexercised = {};
  std::string_view hint = {};
  // It is about nothing but the HTTP status beside an answer, which hinders nobody from reading it.
  bool is_about_status = false;
  // The extension that demands it, by name ("tasks"); empty for the core protocol. `in` names the
  // revisions that it extends, and its own pages.
  std::string_view extension = {};
  // What it needs of a server beyond a capability: "users" (vocabulary.h has all). Empty: nothing.
  std::string_view needs = {};

  // "pagination".
  std::string_view area() const { return id.substr(0, id.find('.')); }
  const Holding* holding(model::Revision revision) const;  // null if it does not hold there
  // Whether that version of the catalogue had it; version 0 stands for the latest.
  bool existed_in(int version) const { return version == 0 || added <= version; }
  bool holds_in(model::Revision revision) const { return holding(revision) != nullptr; }
  // The keyword as it stands in that revision; nullopt where the statement does not hold.
  std::optional<Level> level_in(model::Revision revision) const;
  // "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling"; empty
  // where the statement does not hold. An extension has a page of its own.
  std::string link(model::Revision revision) const;
  // Whom the statement obliges in that revision; `subject` where it does not hold.
  Subject subject_in(model::Revision revision) const;
  bool binds_server_in(model::Revision revision) const;
  bool binds_client_in(model::Revision revision) const;
  // Whether a judge of that side can see it.
  bool is_seen_of_server() const { return observe != Observation::kNo && unseen_of_server.empty(); }
  bool is_seen_of_client() const { return observe != Observation::kNo && unseen_of_client.empty(); }
  bool is_judged_in_part() const { return !part_judged.empty(); }
  bool binds_server() const { return subject == Subject::kServer || subject == Subject::kBoth; }
  bool binds_client() const { return subject == Subject::kClient || subject == Subject::kBoth; }
};

// Every requirement, sorted by id.
std::span<const Requirement> all();
// Null if there is none of this name.
const Requirement* find(std::string_view id);
// Whether the revision has the rule.
bool holds(RequirementId rule, model::Revision revision);

std::string_view version();  // "1"; a new number when requirements are added
std::string_view digest();   // "sha256:..." over what the requirements say

}  // namespace assay::catalogue
