#include "harness/cli/profiles_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/profile/built_in.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

// Who names it wants it, whatever it would be detected by.
harness::Profile forced(harness::Profile profile) {
  profile.detect_names.clear();
  profile.detect_tools = 0;
  return profile;
}

harness::Profile read_profile(const std::string& name) {
  if (const harness::Profile* built_in = harness::built_in_profile(name)) return forced(*built_in);
  const reports::FileText file = reports::read_file(name);
  if (!file.error.empty()) {
    std::vector<std::string> known;
    for (const harness::Profile& each : harness::built_in_profiles()) known.push_back(each.name);
    throw UsageError(
        fmt::format("--profile: {}, and 'mcp-assay list profiles' has none of this name{}",
                    file.error, did_you_mean(name, known)));
  }
  auto parsed = harness::parse_profile(file.text, name);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", name, *error));
  }
  auto profile = std::get<harness::Profile>(std::move(parsed));
  profile.name = name;
  return profile;
}

}  // namespace

harness::KnownProfiles read_profiles(const std::vector<std::string>& names,
                                     transport::Party party) {
  harness::KnownProfiles profiles;
  for (const std::string& name : names) {
    // Nothing is detected of clients.
    if (name == "none" && party == transport::Party::kServer) {
      profiles.detects = false;
      continue;
    }
    harness::Profile profile = read_profile(name);
    const bool is_of_other =
        party == transport::Party::kServer ? profile.is_only_of_client() : profile.client.empty();
    if (is_of_other) {
      throw UsageError(fmt::format("--profile: '{}' says nothing of a {}",
                                   reports::printable_line(name), transport::name(party)));
    }
    profiles.given.push_back(std::move(profile));
  }
  return profiles;
}

void tell_profiles(const harness::KnownProfiles& given, const harness::ProfileNotes& notes,
                   bool is_quiet) {
  const auto is_used = [&](const std::string& name) {
    return std::find(notes.used.begin(), notes.used.end(), name) != notes.used.end();
  };
  const auto is_given = [&](const std::string& name) {
    return std::any_of(given.given.begin(), given.given.end(),
                       [&](const harness::Profile& profile) { return profile.name == name; });
  };
  for (const std::string& name : notes.used) {
    if (is_quiet || is_given(name)) continue;
    fmt::print(stderr, "mcp-assay server: uses the profile {} (--profile none for none)\n", name);
  }
  for (const harness::Profile& profile : given.given) {
    if (!notes.was_made || is_used(profile.name)) continue;
    fmt::print(stderr, "mcp-assay server: {}: the server is not the one of 'detect'\n",
               profile.name);
  }
  for (const std::string& lacking : notes.lacking) {
    fmt::print(stderr, "mcp-assay server: {}\n", lacking);
  }
}

}  // namespace assay::cli
