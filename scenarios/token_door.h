// How a server receives who shows no token, and where it says that tokens are to be had: for the
// scenarios about servers that ask for them.
//
// Specification: basic/authorization (2025-03-26 and later); RFC 9728.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"

namespace assay::scenarios {

inline constexpr const char* kResourceMetadataPath = "/.well-known/oauth-protected-resource";

// Of the endpoint, without a query.
std::string path_of(harness::Connection& connection);

// Where the metadata of a resource are that has this path and query (RFC 9728, section 3.1).
std::string metadata_target_of(std::string_view target);

// A GET by somebody who has no token, from the server's own origin. In 2025-03-26 it says the
// revision, so that a server can answer by it ("Server Metadata Discovery Headers").
harness::HttpAnswer get_document(harness::Connection& connection, std::string target,
                                 const char* accept = "application/json");

// What was found of the metadata of RFC 9728.
struct FoundMetadata {
  std::vector<harness::EventPtr> events;  // of the search, and of the find
  Json document;                          // null where there is none
  std::string target;                     // where it is
  harness::HttpAnswer answer;             // with which it came
  std::string named;                      // where the challenge says that it is; empty: nowhere
  std::optional<harness::HttpAnswer>
      at_named;                      // what is there, if that is on the server's own origin
  std::vector<std::string> further;  // where one may be, too, and was not asked for
  std::string elsewhere;             // where it is said to be, if we do not ask there
};

// The server takes tokens of the authorization server that it was told of, which is ours.
bool takes_our_tokens(harness::Script& script);

// How the server receives who shows no token.
struct Door {
  enum class State {
    kOpen,      // it serves everybody
    kShut,      // it refuses, for want of a token
    kUnclear,   // it refuses, and nothing tells why
    kOwnManner  // it refuses for want of something, and may ask for it by rules of its own
  };
  State state = State::kUnclear;
  harness::HttpAnswer answer;
  FoundMetadata metadata;
};

// The documents at the further places of one that was found; the evidence is put to its own.
struct PlacedDocument {
  std::string target;
  Json document;
};
std::vector<PlacedDocument> documents_at_further_places(harness::Connection& connection,
                                                        FoundMetadata& found);

Door try_door(harness::Script& script);
// The same of a server that lets everybody begin: the first of its list of tools, and of calls of
// some of them, that asks for a token. kOpen where none does.
Door try_inner_door(harness::Script& script);

// True where the door is shut; else says of all rules why nothing can be judged.
bool is_shut(harness::Script& script, const Door& door,
             std::span<const catalogue::RequirementId> rules);
inline bool is_shut(harness::Script& script, const Door& door,
                    std::initializer_list<catalogue::RequirementId> rules) {
  return is_shut(script, door, std::span(rules.begin(), rules.size()));
}

}  // namespace assay::scenarios
