#include "fuzz/live/client/spoil.h"

#include <fmt/format.h>

#include "fuzz/live/target/text.h"
#include "reference/wire/json.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostSpoils = 100'000;

bool is_count(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned();
}

}  // namespace

std::string text(const Spoil& spoil) {
  const std::string which = spoil.occurrence == 0  ? "every answer to "
                            : spoil.occurrence > 1 ? fmt::format("answer {} to ", spoil.occurrence)
                                                   : "the answer to ";
  return fmt::format("{} in {}{}", spoil.what, which, shown(spoil.method, 60));
}

std::string to_jsonl(const Spoils& spoils) {
  std::string out;
  for (const Spoil& spoil : spoils) {
    nlohmann::ordered_json line = {{"method", spoil.method},
                                   {"occurrence", spoil.occurrence},
                                   {"what", spoil.what},
                                   {"seed", spoil.seed}};
    if (spoil.wording) put_wording(*spoil.wording, line);
    out += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return out;
}

std::variant<Spoils, std::string> spoils_from_jsonl(std::string_view text) {
  Spoils spoils;
  std::string trouble;
  for_each_line(text, [&](std::string_view line) {
    if (line.empty() || !trouble.empty()) return;
    const Json json = Json::parse(line, nullptr, false);
    const bool is_sound = json.is_object() && is_count(json, "occurrence") &&
                          is_count(json, "seed") && spoils.size() < kMostSpoils;
    if (!is_sound) {
      trouble = fmt::format("line {} is no spoil", spoils.size() + 1);
      return;
    }
    Spoil spoil{text_member(json, "method"), json["occurrence"].get<std::size_t>(),
                text_member(json, "what"), json["seed"].get<std::uint64_t>()};
    if (json.contains("ahead")) {
      auto wording = wording_from(json);
      if (!wording) trouble = fmt::format("line {} has no texts ahead", spoils.size() + 1);
      spoil.wording = std::move(wording);
    }
    spoils.push_back(std::move(spoil));
  });
  if (!trouble.empty()) return trouble;
  return spoils;
}

}  // namespace assay::fuzz
