// The revisions of the specification, and what each can do, as named questions.
//
// Code elsewhere does not compare revisions. It asks a question that says what it means:
// `revision.has_batching()`. Two questions may have one answer today and mean different things.
// Whether a rule holds in a revision is not asked here: the catalogue knows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay::model {

class Revision {
 public:
  enum class Value : std::uint8_t {
    k2024_11_05,
    k2025_03_26,
    k2025_06_18,
    k2025_11_25,
    k2026_07_28,
  };

  static const Revision v2024_11_05;
  static const Revision v2025_03_26;
  static const Revision v2025_06_18;
  static const Revision v2025_11_25;
  static const Revision v2026_07_28;

  constexpr Revision(Value value) : value_(value) {}  // NOLINT(google-explicit-constructor)

  // All revisions, oldest first; those that begin with an `initialize` handshake, and those that
  // have none.
  static std::span<const Revision> all();
  static std::span<const Revision> handshake();
  static std::span<const Revision> stateless();
  // The last of each.
  static Revision newest() { return all().back(); }
  static Revision newest_handshake() { return handshake().back(); }
  static Revision newest_stateless() { return stateless().back(); }
  // The revision that is written "2025-06-18", if there is one.
  static std::optional<Revision> parse(std::string_view text);

  constexpr Value value() const { return value_; }
  // As the protocol writes it: "2025-06-18".
  std::string_view text() const;
  // The revision that this one changes: what does not say otherwise is as it is there. None for the
  // first.
  std::optional<Revision> based_on() const;

  friend constexpr auto operator<=>(Revision, Revision) = default;

  // A question below, for tables whose rows hold in some revisions only: `&Revision::has_icons`.
  using Question = bool (Revision::*)() const;
  // Null asks nothing, and each revision satisfies it.
  bool satisfies(Question question) const;

  // --- The two eras ---

  // The client begins with `initialize`.
  constexpr bool has_handshake() const { return value_ <= Value::k2025_11_25; }
  // What both sides agree on at the beginning holds for all messages after it.
  constexpr bool has_sessions() const { return has_handshake(); }
  // Each request stands alone: its `_meta` names the version and the capabilities of the client.
  constexpr bool is_stateless() const { return !has_sessions(); }
  // Servers send requests; or they ask within a result, and the client calls again with the answer.
  constexpr bool has_server_requests() const { return has_sessions(); }
  constexpr bool asks_in_results() const { return !has_server_requests(); }
  // `ping` is a method.
  constexpr bool has_ping() const { return has_sessions(); }
  // `logging/setLevel`; otherwise each request names its level.
  constexpr bool has_set_level() const { return has_sessions(); }
  // `resources/subscribe`; otherwise `subscriptions/listen`.
  constexpr bool has_subscribe() const { return has_sessions(); }
  // Clients may declare that they tell of changes of their roots.
  constexpr bool has_roots_changes() const { return has_sessions(); }
  // Each result says in `resultType` whether it is complete.
  constexpr bool has_result_types() const { return is_stateless(); }
  // Header fields of each HTTP request repeat parts of its body.
  constexpr bool has_mirrored_headers() const { return is_stateless(); }

  // --- Messages and transports ---

  // JSON-RPC batches are legal messages. 2024-11-05 does not speak of them.
  constexpr bool has_batching() const { return value_ == Value::k2025_03_26; }
  // Batches were taken out of the protocol: an array is no message.
  constexpr bool has_no_batches() const { return value_ >= Value::k2025_06_18; }
  // The older HTTP+SSE pair of endpoints; otherwise Streamable HTTP.
  constexpr bool has_http_sse() const { return value_ == Value::k2024_11_05; }
  constexpr bool has_streamable_http() const { return !has_http_sse(); }
  // Sessions over Streamable HTTP: with an id, if the server gives one, and a stream to GET.
  constexpr bool has_http_sessions() const { return has_sessions() && has_streamable_http(); }
  // Clients name the revision in an HTTP header after initialization.
  constexpr bool has_protocol_version_header() const { return value_ >= Value::k2025_06_18; }
  // A bad Origin must be answered with 403.
  constexpr bool has_origin_403() const { return value_ >= Value::k2025_11_25; }
  // SSE streams begin with a priming event, and servers may close connections to be polled.
  constexpr bool has_sse_polling() const { return value_ == Value::k2025_11_25; }

  // --- Authorization ---

  // The pages on authorization; and the metadata of a protected resource that they ask for.
  constexpr bool has_authorization() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_resource_metadata() const { return value_ >= Value::k2025_06_18; }
  // Without such metadata, a protected server is its own authorization server.
  constexpr bool has_own_authorization_server() const {
    return has_authorization() && !has_resource_metadata();
  }
  // Otherwise authorization servers stand alone, and have rules of their own.
  constexpr bool has_separate_authorization_servers() const { return has_resource_metadata(); }
  // Sessions, and batches, that a token opens.
  constexpr bool has_protected_sessions() const { return has_authorization() && has_sessions(); }
  constexpr bool has_protected_batches() const { return has_authorization() && has_batching(); }
  // Clients name the server that a token is for (`resource`), and servers take no other token.
  constexpr bool has_audiences() const { return has_resource_metadata(); }
  constexpr bool has_audiences_in_sessions() const { return has_audiences() && has_sessions(); }
  // A 401 must name the resource metadata; later, a well-known place may.
  constexpr bool needs_metadata_in_challenge() const { return value_ == Value::k2025_06_18; }
  constexpr bool has_well_known_metadata() const { return value_ >= Value::k2025_11_25; }
  // Authorization servers should register clients dynamically; later they may.
  constexpr bool needs_dynamic_registration() const { return value_ == Value::k2025_06_18; }
  // The URL of a metadata document may name a client.
  constexpr bool has_client_documents() const { return value_ >= Value::k2025_11_25; }
  // Clients see in the metadata whether PKCE is supported.
  constexpr bool has_pkce_in_metadata() const { return value_ >= Value::k2025_11_25; }
  // What a client makes of scopes in challenges and metadata.
  constexpr bool has_scope_challenges() const { return value_ >= Value::k2025_11_25; }
  // The issuer of metadata, and of authorization responses, is validated.
  constexpr bool has_issuer_validation() const { return value_ >= Value::k2026_07_28; }

  // --- Features ---

  constexpr bool has_audio() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_no_audio() const { return !has_audio(); }
  constexpr bool has_tool_annotations() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_progress_message() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_completions_capability() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_titles() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_structured_content() const { return value_ >= Value::k2025_06_18; }
  // Structured content may be any JSON value; before, it is an object.
  constexpr bool has_any_structured_content() const { return value_ >= Value::k2026_07_28; }
  constexpr bool has_resource_links() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_no_resource_links() const { return !has_resource_links(); }
  // The keys of `_meta` have rules.
  constexpr bool has_meta_key_rules() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_elicitation() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_elicitation_requests() const {
    return has_elicitation() && has_server_requests();
  }
  constexpr bool has_completion_context() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_url_elicitation() const { return value_ >= Value::k2025_11_25; }
  constexpr bool has_url_elicitation_requests() const {
    return has_url_elicitation() && has_server_requests();
  }
  // The pages say in words of their own that inputSchema is a JSON Schema object, never null.
  constexpr bool has_tool_schema_sentence() const { return value_ >= Value::k2025_11_25; }
  // A resource that does not exist has an error code of its own.
  constexpr bool has_resource_not_found_code() const { return value_ <= Value::k2025_11_25; }
  constexpr bool has_icons() const { return value_ >= Value::k2025_11_25; }
  constexpr bool has_icons_in_sessions() const { return has_icons() && has_sessions(); }
  constexpr bool has_sampling_tools() const { return value_ >= Value::k2025_11_25; }
  constexpr bool has_no_sampling_tools() const { return !has_sampling_tools(); }
  constexpr bool has_sampling_tool_requests() const {
    return has_sampling_tools() && has_server_requests();
  }
  // Arguments that a tool refuses are told in its result, not as an error of the protocol.
  constexpr bool has_input_errors_in_results() const { return value_ >= Value::k2025_11_25; }
  // Elicitation schemas with defaults of every type, titled choices and multiple choice.
  constexpr bool has_rich_elicitation_schemas() const { return value_ >= Value::k2025_11_25; }
  constexpr bool has_rich_elicitation_requests() const {
    return has_rich_elicitation_schemas() && has_server_requests();
  }
  // Tool schemas are JSON Schema 2020-12 unless they say otherwise.
  constexpr bool has_json_schema_2020_12() const { return value_ >= Value::k2025_11_25; }
  // Tasks are part of the core protocol (later they are an extension).
  constexpr bool has_core_tasks() const { return value_ == Value::k2025_11_25; }
  constexpr bool has_no_core_tasks() const { return !has_core_tasks(); }
  // There, or by an extension.
  constexpr bool may_have_tasks() const { return value_ >= Value::k2025_11_25; }

 private:
  Value value_;
};

inline constexpr Revision Revision::v2024_11_05{Value::k2024_11_05};
inline constexpr Revision Revision::v2025_03_26{Value::k2025_03_26};
inline constexpr Revision Revision::v2025_06_18{Value::k2025_06_18};
inline constexpr Revision Revision::v2025_11_25{Value::k2025_11_25};
inline constexpr Revision Revision::v2026_07_28{Value::k2026_07_28};

}  // namespace assay::model
