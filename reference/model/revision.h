// The revisions of the specification, and what each can do, as named questions.
//
// Elsewhere nobody compares revisions: ask `revision.has_batching()`.
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

  // Begins with `initialize` and keeps a session; the other era carries `_meta` on each request.
  constexpr bool has_handshake() const { return value_ <= Value::k2025_11_25; }
  // JSON-RPC batches are legal messages. 2024-11-05 does not speak of them.
  constexpr bool has_batching() const { return value_ == Value::k2025_03_26; }
  // Batches were taken out of the protocol: an array is no message.
  constexpr bool has_no_batches() const { return value_ >= Value::k2025_06_18; }
  // The older HTTP+SSE pair of endpoints; otherwise Streamable HTTP.
  constexpr bool has_http_sse() const { return value_ == Value::k2024_11_05; }
  constexpr bool has_streamable_http() const { return !has_http_sse(); }
  // Clients name the revision in an HTTP header after initialization.
  constexpr bool has_protocol_version_header() const { return value_ >= Value::k2025_06_18; }
  // A bad Origin must be answered with 403.
  constexpr bool has_origin_403() const { return value_ >= Value::k2025_11_25; }
  // SSE streams begin with a priming event, and servers may close connections to be polled.
  constexpr bool has_sse_polling() const { return value_ == Value::k2025_11_25; }
  // The pages on authorization; and the metadata of a protected resource that they ask for.
  constexpr bool has_authorization() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_resource_metadata() const { return value_ >= Value::k2025_06_18; }
  // Clients see in the metadata whether PKCE is supported.
  constexpr bool has_pkce_in_metadata() const { return value_ >= Value::k2025_11_25; }
  // What a client makes of scopes in challenges and metadata.
  constexpr bool has_scope_challenges() const { return value_ >= Value::k2025_11_25; }
  // The issuer of metadata, and of authorization responses, is validated.
  constexpr bool has_issuer_validation() const { return value_ >= Value::k2026_07_28; }
  constexpr bool has_audio() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_tool_annotations() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_progress_message() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_completions_capability() const { return value_ >= Value::k2025_03_26; }
  constexpr bool has_titles() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_structured_content() const { return value_ >= Value::k2025_06_18; }
  // Structured content may be any JSON value; before, it is an object.
  constexpr bool has_any_structured_content() const { return value_ >= Value::k2026_07_28; }
  constexpr bool has_resource_links() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_elicitation() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_completion_context() const { return value_ >= Value::k2025_06_18; }
  constexpr bool has_url_elicitation() const { return value_ >= Value::k2025_11_25; }
  // The pages say in words of their own that inputSchema is a JSON Schema object, never null.
  constexpr bool has_tool_schema_sentence() const { return value_ >= Value::k2025_11_25; }
  // A resource that does not exist has an error code of its own.
  constexpr bool has_resource_not_found_code() const { return value_ <= Value::k2025_11_25; }
  constexpr bool has_icons() const { return value_ >= Value::k2025_11_25; }
  constexpr bool has_sampling_tools() const { return value_ >= Value::k2025_11_25; }
  // Arguments that a tool refuses are told in its result, not as an error of the protocol.
  constexpr bool has_input_errors_in_results() const { return value_ >= Value::k2025_11_25; }
  // Elicitation schemas with defaults of every type, titled choices and multiple choice.
  constexpr bool has_rich_elicitation_schemas() const { return value_ >= Value::k2025_11_25; }
  // Tool schemas are JSON Schema 2020-12 unless they say otherwise.
  constexpr bool has_json_schema_2020_12() const { return value_ >= Value::k2025_11_25; }
  // Tasks are part of the core protocol (later they are an extension).
  constexpr bool has_core_tasks() const { return value_ == Value::k2025_11_25; }

 private:
  Value value_;
};

inline constexpr Revision Revision::v2024_11_05{Value::k2024_11_05};
inline constexpr Revision Revision::v2025_03_26{Value::k2025_03_26};
inline constexpr Revision Revision::v2025_06_18{Value::k2025_06_18};
inline constexpr Revision Revision::v2025_11_25{Value::k2025_11_25};
inline constexpr Revision Revision::v2026_07_28{Value::k2026_07_28};

}  // namespace assay::model
