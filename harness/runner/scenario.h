// Scenarios register themselves: one function each, with what it judges and what it needs.
//
//   // An unknown method is refused as method not found.
//   SCENARIO(json_rpc_refuses_unknown_method, judges({"jsonrpc.unknown-method"})) {
//     const Reply reply = script.request("assay/no-such-method");
//     script.check("jsonrpc.unknown-method", reply.is_error(wire::kMethodNotFound), reply);
//   }
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "harness/script/script.h"

namespace assay::harness {

struct Scenario {
  enum class SessionUse {
    kShared,  // polite: leaves the session as it found it, so others may go on with it
    kTurn,    // tries its session, but leaves nothing open: where a session costs a process, the
              // next in its round gets it then (turns.h); elsewhere as kOwn
    kOwn,     // opens what it needs: it misbehaves, or its topic is the session itself
  };
  // Where in its round a scenario of kTurn comes: the first may begin the session in its own way,
  // and nothing of what the last has done to it matters to another.
  enum class Place { kFirst, kAmong, kLast };
  std::string_view name;
  std::string_view topic;  // the file it stands in: "pagination"
  std::vector<catalogue::RequirementId> requirements;
  std::string_view extension;  // whose rules it is about, by name; empty for the core protocol
  SessionUse session_use = SessionUse::kShared;
  std::string_view round;  // kTurn: with which others it takes turns
  Place place = Place::kAmong;
  bool is_heavy = false;                  // holds many megabytes: no two such run at once
  bool is_before_login = false;           // has something to say of a server that lets nobody in
  bool is_lengthy = false;                // may wait for seconds: begins before the others
  std::vector<TransportKind> transports;  // empty: any
  bool is_for_handshake = true;           // for the revisions that begin with one
  bool is_for_stateless = false;
  std::function<bool(model::Revision)> question = [](model::Revision) { return true; };
  void (*body)(Script& script) = nullptr;

  // Whether the requirement is among `requirements`.
  bool may_judge(std::string_view requirement) const;
  bool holds_in(model::Revision revision) const;
  bool applies_to(model::Revision revision, TransportKind transport) const;
};

using Trait = std::function<void(Scenario&)>;
// The requirements that the scenario may speak of: all that its traits name, and no other.
Trait judges(std::initializer_list<catalogue::RequirementId> requirements);
Trait own_session();
// Takes turns with the others of its round. The first may hand on a session that it began itself
// (Script::hand_on); the last may leave it as it likes.
Trait in_turn(std::string_view round = "");
Trait first_in_turn(std::string_view round = "");
Trait last_in_turn(std::string_view round = "");
// With a session of its own that holds many megabytes: no two such run at once, whatever the jobs.
Trait heavy_session();
// May have to wait for seconds: begins early, lest it be what is waited for at the end.
Trait lengthy();
// Opens connections of its own and asks Script::is_locked_out(), so it can be played with a server
// that refuses us for want of credentials.
Trait before_login();
Trait only_over(std::initializer_list<TransportKind> transports);
Trait over_http();  // Streamable HTTP
// For the revisions without a handshake, too; or only for them.
Trait in_both_eras();
Trait stateless();
// A named question of the revision: in_revisions(&model::Revision::has_batching).
Trait in_revisions(model::Revision::Question question);
Trait with_tasks();  // where tasks are part of the core
// About an extension, by name: played where the run judges it, in the revisions that it extends.
Trait of_extension(std::string_view name);

// Called before main() by SCENARIO. `file` is __FILE__.
struct ScenarioRegistration {
  ScenarioRegistration(std::string_view name, std::string_view file,
                       std::initializer_list<Trait> traits, void (*body)(Script&));
};

// All scenarios, sorted by name.
std::span<const Scenario> scenarios();

}  // namespace assay::harness

// Declares, registers and begins a scenario; its body may use `script`.
#define SCENARIO(name, ...)                                                \
  static void name(::assay::harness::Script& script);                      \
  static const ::assay::harness::ScenarioRegistration name##_registration{ \
      #name, __FILE__, {__VA_ARGS__}, &name};                              \
  static void name([[maybe_unused]] ::assay::harness::Script& script)
