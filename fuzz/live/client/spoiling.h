// The ways in which an answer of a server can be wrong on purpose.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/random.h"
#include "reference/model/revision.h"
#include "reference/transport/http_listener.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// Where something can be spoilt.
struct SpoilPlace {
  std::string_view method;  // "GET" for a stream
  bool is_http = false;
  bool has_handshake = true;

  bool opens() const { return method == "initialize" || method == "server/discover"; }
  bool lists() const { return method.ends_with("/list"); }
};

// What becomes of it, beyond the bytes.
struct Aftermath {
  // The client may rightly wait: it did not get a sound answer, or was told to wait.
  bool may_wait = false;
  // Something was said that is not to be told from other things by every parser, or that may be
  // answered with an error without an id, or comes back in what the client says.
  bool is_garbled = false;
  std::size_t streamed_bytes = 0;  // of a body that is made as it is read
  std::string label;               // what was chosen: "null at /tools/0/name"; empty: nothing
};

// An answer on its way to the client.
struct SpoiltAnswer {
  const wire::Message& request;
  const SpoilPlace& place;
  std::string canary;  // a URL that nobody is to fetch
  Json json;           // the answer
  std::string bytes;   // sent in place of it, if not empty
  bool is_dropped = false;
  std::vector<std::string> ahead = {};  // messages that are sent before it
  Aftermath after = {};

  Json& result() { return json["result"]; }
  bool has_result() const { return json.is_object() && json.contains("result"); }
};

// The HTTP response that carries it.
struct SpoiltReply {
  transport::HttpReply& reply;
  Aftermath after = {};
};

struct Operator {
  std::string_view name;
  std::size_t weight = 10;
  bool is_rough = false;    // after it most clients give up: there is one in a launch
  bool is_lasting = false;  // in every answer to the method
  bool is_over_http = false;
  bool (*fits)(const SpoilPlace&) = nullptr;  // null: everywhere
  // One of these.
  void (*answer)(SpoiltAnswer&, model::Random&) = nullptr;
  void (*reply)(SpoiltReply&, model::Random&) = nullptr;
};

// All of them. A name means the same for ever, for what has been found.
std::span<const Operator> all_operators();
// Nothing if none is called that.
const Operator* find_operator(std::string_view name);
bool fits(const Operator& one, const SpoilPlace& place);

// The tables.
std::vector<Operator> value_operators();
std::vector<Operator> message_operators();
std::vector<Operator> reply_operators();

// A response to `request` that every client reads alike, and need not wait after: a result that is
// an object, or an error that has a code and a message.
bool is_plain_answer(std::string_view text, const wire::Message& request);
// Every parser reads this message alike.
bool is_plain_text(std::string_view text);

}  // namespace assay::fuzz
