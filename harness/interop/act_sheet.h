// What a client is asked to do in a cell, and how it is told: as a plan in its environment, for a
// client that does several things in one start, or one start for each thing, as a profile says.
//
// INTEROP.md describes the two variables and the file for those who write clients.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/interop/client_word.h"
#include "harness/interop/entries.h"
#include "harness/interop/offer.h"
#include "reference/wire/json.h"

namespace assay::harness {

// What a client says of an act itself.
struct ClientWord {
  enum class Kind { kWorked, kFailed, kCannot };
  Kind kind = Kind::kWorked;
  std::string why;  // printable
};
using ClientWords = std::map<std::string, ClientWord, std::less<>>;  // by act

// One start of a client.
struct ClientStart {
  std::string name;            // "lists-tools"; empty: it does all
  std::set<std::string> aims;  // the acts that it is started for
  Launch launch;               // how the server is reached is not in it yet
  bool has_plan = false;       // it is told a plan, which it may follow or not
  bool ends_session = false;   // the session ends before its second call of a tool
};

// The plan for these acts, as a client reads it. Acts for which the server offers nothing are not
// in it.
Json plan_of(const Offer& offer, const std::set<std::string>& acts);

// The starts in which the client does these acts. Acts that it cannot be made to do are in none of
// them.
std::vector<ClientStart> starts_of(const InteropClient& client, const InteropEra& era,
                                   TransportKind transport, const Offer& offer,
                                   const std::set<std::string>& acts);

// What stands in the file; lines that are none of ours are passed over.
ClientWords read_client_words(const std::string& path);

// All acts that a client may be asked to do; the others are seen in what it does anyway.
std::set<std::string> askable_acts();

}  // namespace assay::harness
