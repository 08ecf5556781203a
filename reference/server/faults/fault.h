// One way in which the reference server can be wrong on purpose.
//
// A check that cannot fail is a defect: for every requirement that is tested there is a fault that
// breaks just that requirement. To add one, write an entry of a few lines into the table of its
// topic (jsonrpc.cc, lifecycle.cc, ...); nothing else needs to know.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/revision.h"
#include "reference/server/faults/departure.h"
#include "reference/server/options.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/http_protection.h"

namespace assay::server {

enum class SeenOver {
  kAnyWire,
  kStdioOnly,
  kProcessOnly,  // stdio with a process at its end: no pipe inside one process shows it
  kHttpOnly,
};

// What a fault that remembers remembers: for all clients, and for the one connection that a message
// is of (over HTTP without sessions: the one request). Objects; only one fault at a time sees them.
struct FaultMemory {
  Json& of_server;
  Json& of_connection;
};

struct Fault {
  // Stable, in words joined by hyphens.
  std::string_view id;
  // What the server does, in one line: "Answers notifications".
  std::string_view description;
  // Ids of the requirements that it breaks.
  std::vector<std::string_view> breaks;
  // Ids of those that it breaks too when things happen to meet: who blames it for one of these is
  // right, but has not shown to have noticed the fault.
  std::vector<std::string_view> may_break = {};
  SeenOver seen_over = SeenOver::kAnyWire;
  // The revisions in which it breaks them; every one where this is null.
  model::Revision::Question concerns = nullptr;

  // How it is done: at least one of these.
  void (*departure)(Departure&) = nullptr;  // spoils a message that leaves
  void (*arrival)(Arrival&) = nullptr;      // reacts to a message that arrives
  // What it says by itself some time after the message arrived; null: nothing.
  Json (*afterthought)(const wire::Message& arrived) = nullptr;
  // Changes a request or a notification before the server sees it.
  void (*intake)(Json& request, FaultMemory&) = nullptr;
  // Spoils a message that leaves, by what was before.
  void (*recollection)(Departure&, FaultMemory&) = nullptr;
  void (*opening)(transport::Sink&) = nullptr;  // says something as soon as a session is opened
  void (*batch)(Json&) = nullptr;  // spoils an array that leaves, before its members are
  // A message of this kind is told to every client of the server, whoever it is for.
  bool (*tells_everybody)(const Departure&) = nullptr;
  // Every session of the server hears a message of this kind that one of them is sent.
  bool (*heard_by_everybody)(const wire::Message&) = nullptr;
  bool splits_batches = false;  // its members leave one by one
  bool unwraps_batches_of_one = false;
  // The connection ends when this arrives (over HTTP, which has none: it is left unanswered).
  bool (*ends_at)(const wire::Decoded&) = nullptr;
  std::optional<Switch> inside = std::nullopt;
  std::optional<transport::HttpDuty> neglects = std::nullopt;
  // Changes what the server takes the head of an HTTP request for. `body` may be anything.
  void (*mishears)(const Json& body, transport::HttpHead&) = nullptr;
  void (*reply)(const transport::HttpHead&, std::string_view body, transport::HttpReply&) = nullptr;
  void (*event)(wire::SseEvent&) = nullptr;
  std::string (*session_id)(std::string) = nullptr;
  // It shows on a server that asks for tokens (protection_of_reference()), and on no other.
  bool needs_protection = false;
  // What it does not look at in tokens that an authorization server signed. It shows on a server
  // that reads such tokens.
  std::optional<transport::TokenDuty> overlooks = std::nullopt;
  // It shows on a server that reads such tokens, and looks at all of them.
  bool needs_signed_tokens = false;
  // It shows on a server that is its own authorization server.
  bool needs_office = false;
  // It shows on a server that asks an API on behalf of its clients (Options::upstream).
  bool needs_upstream = false;
  // Streams that have carried more than an answer do not end.
  bool leaves_streams_open = false;

  // Whether the requirement is among `breaks`, and whether it is among either.
  bool surely_breaks(std::string_view requirement) const;
  bool can_break(std::string_view requirement) const;
  // Whether no other wire than HTTP shows it.
  bool is_of_http() const;
  // Whether a server shows it that asks for no tokens and is not a client itself.
  bool needs_nothing_else() const;
  // Whether only lists of several pages show it.
  bool is_about_pages() const;
  // Whether it breaks something in one of these revisions.
  bool concerns_any(std::span<const model::Revision> revisions) const;
};

// What opens the reference server where it is protected: alice's token opens everything, and so
// does bob's for himself; another one of alice's lacks the scope of kScopedTool.
inline constexpr std::string_view kReferenceToken = "reference-token";
inline constexpr std::string_view kOtherUsersToken = "token-of-the-other-user";
inline constexpr std::string_view kNarrowToken = "token-of-one-scope";
inline constexpr std::string_view kScopedTool = "test_simple_text";
// And what does not: a token for another server, and one that was good once.
inline constexpr std::string_view kForeignToken = "token-for-another-server";
inline constexpr std::string_view kExpiredToken = "token-that-has-expired";
// All of them.
inline constexpr std::array kKnownTokens = {kReferenceToken, kOtherUsersToken, kNarrowToken,
                                            kForeignToken, kExpiredToken};
transport::HttpProtection protection_of_reference();
// The same where the tokens are those that a reader knows, of the authorization server of that URL.
// `proofs` reads those of tokens that are bound to keys; null: there are no such tokens.
transport::HttpProtection protection_by(std::shared_ptr<transport::TokenReader> reader,
                                        const std::string& authorization_server,
                                        std::shared_ptr<transport::ProofReader> proofs = nullptr);

// All of them, in the order of their topics.
const std::vector<Fault>& all_faults();
// Nothing if there is none of that id.
const Fault* find_fault(std::string_view id);

// The tables of the topics.
std::vector<Fault> jsonrpc_faults();
std::vector<Fault> nameless_error_faults();
std::vector<Fault> message_faults();
std::vector<Fault> authorization_faults();  // with those of the tables down to the office's
std::vector<Fault> token_place_faults();
std::vector<Fault> further_place_faults();
std::vector<Fault> near_token_faults();
std::vector<Fault> challenge_faults();
std::vector<Fault> door_faults();
std::vector<Fault> resource_metadata_faults();
std::vector<Fault> scope_faults();
std::vector<Fault> user_faults();
std::vector<Fault> seldom_faults();
std::vector<Fault> second_way_faults();
std::vector<Fault> signed_token_faults();
std::vector<Fault> proof_faults();
std::vector<Fault> upstream_faults();
std::vector<Fault> own_office_faults();
std::vector<Fault> batch_faults();
std::vector<Fault> ending_faults();
std::vector<Fault> opening_faults();
std::vector<Fault> lifecycle_faults();
std::vector<Fault> served_faults();
std::vector<Fault> denial_faults();
std::vector<Fault> feature_faults();
std::vector<Fault> prompt_faults();
std::vector<Fault> name_faults();
std::vector<Fault> schema_faults();
std::vector<Fault> shape_faults();
std::vector<Fault> single_item_faults();
std::vector<Fault> afterthought_faults();
std::vector<Fault> narrow_faults();
std::vector<Fault> stateless_narrow_faults();
std::vector<Fault> stateless_seldom_faults();
std::vector<Fault> stateless_second_way_faults();
std::vector<Fault> stateless_further_faults();
std::vector<Fault> argument_faults();
std::vector<Fault> client_feature_faults();
std::vector<Fault> elicitation_faults();
std::vector<Fault> question_faults();
std::vector<Fault> list_faults();
std::vector<Fault> utility_faults();
std::vector<Fault> task_faults();
std::vector<Fault> task_result_faults();
std::vector<Fault> task_request_faults();
std::vector<Fault> task_detail_faults();
std::vector<Fault> stdio_faults();
std::vector<Fault> http_faults();  // with those of its streams
std::vector<Fault> http_stream_faults();
std::vector<Fault> http_detail_faults();
std::vector<Fault> stateless_base_faults();
std::vector<Fault> stateless_message_faults();
std::vector<Fault> stateless_input_faults();
std::vector<Fault> stateless_question_faults();
std::vector<Fault> stateless_listening_faults();
std::vector<Fault> stateless_list_faults();
std::vector<Fault> stateless_tool_faults();
std::vector<Fault> stateless_header_faults();
std::vector<Fault> stateless_specimen_faults();
std::vector<Fault> stateless_method_faults();
std::vector<Fault> stateless_state_faults();
std::vector<Fault> stateless_endpoint_faults();
std::vector<Fault> stateless_support_faults();
std::vector<Fault> durable_task_faults();
std::vector<Fault> durable_request_faults();
std::vector<Fault> skill_faults();
std::vector<Fault> skill_entry_faults();
std::vector<Fault> app_faults();

}  // namespace assay::server
