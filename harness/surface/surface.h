// What a server offers to its clients, as a document that changes only when the offer does: tools
// with their schemas and annotations, prompts, resources, capabilities, and the revisions that it
// speaks. And what differs between two of these documents.
//
// Specification: server/tools, server/prompts, server/resources, basic/lifecycle of each revision.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/connection.h"
#include "harness/script/survey.h"
#include "reference/transport/client_transport.h"

namespace assay::harness {

inline constexpr std::string_view kSurfaceFormat = "mcp-surface/1";

// The document. Lists are sorted by name, members by key; what may differ from one start to the
// next is left out (`_meta`, the server's version, sizes and times of resources).
Json surface_of(const Survey& survey, const Json& server, const std::set<std::string>& revisions);

// Asks the target in each revision, and lists what it offers in the newest that it speaks. A
// Failure says why nothing could be learnt, or what of a list could not be read.
std::variant<Json, transport::Failure> read_surface(const TargetAccess& access,
                                                    const Patience& patience,
                                                    const std::stop_token& stop);

// What is wrong with a document that claims to be a surface; nothing where it is one.
std::optional<std::string> surface_trouble(const Json& document);

struct SurfaceChange {
  enum class Kind {
    kBreaking,  // a client that worked with the old surface may fail with the new one
    kHarmless,
    kUnclear,  // a schema changed, and no value was found that shows how
  };
  Kind kind = Kind::kHarmless;
  std::string where;  // "tool 'search'"; texts of the server, as they came
  std::string what;   // "the argument 'limit' is now required"
  Json example;       // a value that was taken and is refused, or the reverse; null: there is none
};

// The breaking ones first, then by where they are. At most kMostSurfaceChanges.
inline constexpr std::size_t kMostSurfaceChanges = 1000;
std::vector<SurfaceChange> compare_surfaces(const Json& before, const Json& after);

}  // namespace assay::harness
