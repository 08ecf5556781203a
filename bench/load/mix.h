// What a load consists of: requests, and how often each is sent.
//
//   requests:
//     - method: ping
//       weight: 3
//     - method: tools/call
//       params: {name: search, arguments: {query: "load"}}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::bench {

struct MixEntry {
  std::string method;
  Json params = nullptr;  // an object, or null for none
  unsigned weight = 1;

  // For tables: the method and, where there is one, the tool, prompt or resource.
  std::string title() const;
};

using Mix = std::vector<MixEntry>;

inline constexpr std::size_t kMostEntries = 64;
inline constexpr unsigned kMostWeight = 1000;

// The requests of a YAML text, or what is wrong with it and in which line.
std::variant<Mix, std::string> parse_mix(std::string_view yaml);
// What is sent when nobody says: the cheapest request that every server of the revision answers.
Mix default_mix(model::Revision revision);

// Indices into the mix, each as often as its weight says and spread evenly: repeated over and over,
// they are the order of requests.
std::vector<std::size_t> turns(const Mix& mix);

}  // namespace assay::bench
