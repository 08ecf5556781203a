// The transports of the specification, and what each is like, as named questions.
//
// Code elsewhere asks what it means (`kind.has_order()`), and names a transport only to choose one.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace assay::harness {

class TransportKind {
 public:
  enum class Value : std::uint8_t { kStdio, kHttp, kHttpSse };

  static const TransportKind kStdio;
  static const TransportKind kHttp;     // Streamable HTTP
  static const TransportKind kHttpSse;  // the older pair of endpoints

  constexpr TransportKind(Value value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  constexpr Value value() const { return value_; }
  friend constexpr auto operator<=>(TransportKind, TransportKind) = default;

  // For rules that are about one transport.
  constexpr bool is_streamable_http() const { return value_ == Value::kHttp; }
  constexpr bool is_http_sse() const { return value_ == Value::kHttpSse; }

  // The server is a process that its client starts, and that serves this client alone; otherwise it
  // has a URL, and may serve many.
  constexpr bool has_process() const { return value_ == Value::kStdio; }
  constexpr bool has_url() const { return !has_process(); }
  // Each message is a line.
  constexpr bool has_lines() const { return has_process(); }
  // All messages of one side arrive in the order in which they were sent. Over HTTP each message of
  // the client goes by itself, and may overtake another.
  constexpr bool has_order() const { return has_lines(); }
  // Each request of the client has an HTTP exchange of its own. The answer comes there, with all
  // that belongs to it, and who breaks the exchange off gives the request up.
  constexpr bool answers_in_exchanges() const { return is_streamable_http(); }

 private:
  Value value_;
};

inline constexpr TransportKind TransportKind::kStdio{Value::kStdio};
inline constexpr TransportKind TransportKind::kHttp{Value::kHttp};
inline constexpr TransportKind TransportKind::kHttpSse{Value::kHttpSse};

// "stdio", "http", "http+sse": as reports and the catalogue write it.
std::string_view name(TransportKind kind);

}  // namespace assay::harness
