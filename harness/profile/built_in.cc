#include "harness/profile/built_in.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "harness/profile/built_in_texts.h"

namespace assay::harness {
namespace {

std::vector<Profile> read_all() {
  std::vector<Profile> all;
  for (const BuiltInText& text : kBuiltInTexts) {
    auto parsed = parse_profile(text.yaml, std::string(text.name));
    assert(std::holds_alternative<Profile>(parsed));  // the test reads each of them
    if (auto* profile = std::get_if<Profile>(&parsed)) all.push_back(std::move(*profile));
  }
  std::sort(all.begin(), all.end(),
            [](const Profile& a, const Profile& b) { return a.name < b.name; });
  return all;
}

}  // namespace

std::span<const Profile> built_in_profiles() {
  static const std::vector<Profile> all = read_all();
  return all;
}

const Profile* built_in_profile(std::string_view name) {
  const auto all = built_in_profiles();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Profile& profile) { return profile.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view built_in_text(std::string_view name) {
  for (const BuiltInText& text : kBuiltInTexts) {
    if (text.name == name) return text.yaml;
  }
  return "";
}

}  // namespace assay::harness
