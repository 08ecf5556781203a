// What is said in place of a sound answer, word for word: what an operator made of it, cut down to
// what a finding takes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/live/proof/minimizer.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

struct Wording {
  std::vector<std::string> ahead;     // messages before the answer
  std::optional<std::string> answer;  // nothing: the answer as it is when nothing is wrong

  friend bool operator==(const Wording&, const Wording&) = default;
};

// What stands in it for the id of the request, as JSON, and for the URL that nobody is to fetch.
inline constexpr std::string_view kIdPlace = "@ID@";
inline constexpr std::string_view kCanaryPlace = "@CANARY@";

// With these in place of what stands for them.
std::string filled(std::string text, const std::string& id, const std::string& canary);
// What was said, with what stands for these in their place. Nothing where it is longer than one
// that is worth cutting, or is no text.
std::optional<Wording> kept_wording(Wording said, const std::string& id, const std::string& canary);

// The length of all its texts.
std::size_t bytes_of(const Wording& wording);

// The members "ahead" and "answer" of a line.
void put_wording(const Wording& wording, nlohmann::ordered_json& line);
// Nothing if they are not as they were written.
std::optional<Wording> wording_from(const Json& line);

// As small as it goes while `shows` says so, which it does for `wording`.
Wording minimize_wording(const Wording& wording, const std::function<bool(const Wording&)>& shows,
                         const MinimizeLimits& limits);

// "first message, then answer", for a person.
std::string text(const Wording& wording);

}  // namespace assay::fuzz
