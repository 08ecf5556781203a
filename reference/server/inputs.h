// What a request needs of the client before it can be completed, and what it has been given.
//
// Specification: basic/patterns/mrtr (since 2026-07-28).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "reference/server/answer.h"
#include "reference/server/options.h"
#include "reference/server/request_state.h"
#include "reference/wire/message.h"

namespace assay::server {

class Context;

// What is wrong with the client's answer to such a request, in one sentence; nothing if nothing is.
std::optional<std::string> defect_of_answer(const Context& context, std::string_view method,
                                            const Json& params, const Json& answer);

// The part of a request that answers an InputRequiredResult. Refused: state that is none of ours,
// and answers that are no object.
class Inputs {
 public:
  // `user`: whose request it is.
  static std::variant<Inputs, Refusal> read(const wire::Message& request, const StateSeal& seal,
                                            const std::string& user);

  // The client's answer under `key`; null if there is none.
  const Json& response(const std::string& key) const;
  // What seal() was given in the round before; null in the first one.
  const Json& state() const { return state_; }
  // Makes the requestState for the next round, if that comes within `ttl`.
  std::string seal(const Json& state, std::chrono::milliseconds ttl) const;

 private:
  Inputs(wire::Message request, const StateSeal& seal, std::string user, Json state)
      : request_(std::move(request)),
        seal_(&seal),
        user_(std::move(user)),
        state_(std::move(state)) {}

  wire::Message request_;
  const StateSeal* seal_;  // outlives it
  std::string user_;
  Json state_;
};

// One round of a request that asks its client: asks for what is not there yet.
//
//   InputRound round(context);
//   const Json* const name = round.elicit("user_name", "What is your name?", schema);
//   if (auto unfinished = round.unfinished()) return *std::move(unfinished);
class InputRound {
 public:
  // In the revisions that have it.
  explicit InputRound(const Context& context);

  const Json& state() const;
  // Whether the client declared what such a request needs.
  bool can_ask(std::string_view method, const Json& params) const;
  // From now on no answer counts: they came without the state that belongs to them.
  void forget_answers() { is_forgetful_ = true; }
  // The client's answer to that request; null if it has to be asked first, or answered with what is
  // no answer. The revision's own schema decides, and for a form its `requestedSchema` as well.
  const Json* ask(const std::string& key, std::string_view method, Json params = nullptr);
  const Json* elicit(const std::string& key, std::string_view message, Json schema);
  // What to answer if something is missing: an InputRequiredResult that carries `state` unless it
  // is null, or an error. Nothing if the request can be completed.
  std::optional<Answer> unfinished(const Json& state = nullptr) const;
  // From now on state is good for that long.
  void set_ttl(std::chrono::milliseconds ttl) { ttl_ = ttl; }
  // Asks for nothing but to come back with `state`.
  Answer come_back(const Json& state) const;

 private:
  const Context& context_;
  const Inputs& inputs_;
  Json requests_ = Json::object();
  Json missing_capabilities_ = Json::object();
  std::optional<std::string> defect_;  // of an answer
  bool is_forgetful_ = false;
  std::chrono::milliseconds ttl_;
};

}  // namespace assay::server
