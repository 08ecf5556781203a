#include "harness/cli/plan_options.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/revision_option.h"
#include "harness/runner/scenario.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

bool matches_glob(const std::string& glob, std::string_view name) {
  return fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
}

}  // namespace

std::vector<model::Revision> parse_revisions(const std::vector<std::string>& texts) {
  std::vector<model::Revision> revisions;
  for (const std::string& text : texts) {
    if (text == kAllRevisions) {
      const auto all = model::Revision::all();
      revisions.assign(all.begin(), all.end());
      continue;
    }
    const auto revision = model::Revision::parse(text);
    if (!revision) {
      throw UsageError(why_no_revision(text, {std::string(kAllRevisions)}));
    }
    if (std::find(revisions.begin(), revisions.end(), *revision) == revisions.end()) {
      revisions.push_back(*revision);
    }
  }
  std::sort(revisions.begin(), revisions.end());
  return revisions;
}

std::vector<std::string_view> server_scenario_names() {
  std::vector<std::string_view> names;
  for (const harness::Scenario& scenario : harness::scenarios()) names.push_back(scenario.name);
  return names;
}

std::function<bool(std::string_view)> scenario_filter(const std::vector<std::string>& globs,
                                                      const std::vector<std::string_view>& names) {
  if (globs.empty()) return [](std::string_view) { return true; };
  for (const std::string& glob : globs) {
    const bool matches = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return matches_glob(glob, name);
    });
    if (!matches) {
      throw UsageError(fmt::format(
          "no scenario matches '{}'{}", reports::printable_line(reports::cut(glob, 80)),
          did_you_mean_or(glob, {names.begin(), names.end()}, "'mcp-assay list scenarios'")));
    }
  }
  return [globs](std::string_view name) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return matches_glob(glob, name); });
  };
}

reports::Shard parse_shard(const std::string& text) {
  constexpr int kMostShards = 10'000;
  reports::Shard shard;
  if (text.empty()) return shard;
  const std::size_t slash = text.find('/');
  const auto read = [&text](std::size_t begin, std::size_t end, int& number) {
    const char* last = text.data() + end;
    const auto parsed = std::from_chars(text.data() + begin, last, number);
    return parsed.ec == std::errc() && parsed.ptr == last;
  };
  const bool is_read = slash != std::string::npos && read(0, slash, shard.index) &&
                       read(slash + 1, text.size(), shard.total);
  if (!is_read || shard.index < 1 || shard.index > shard.total || shard.total > kMostShards) {
    throw UsageError(fmt::format("--shard takes I/N, from 1/N to N/N, not '{}'", text));
  }
  return shard;
}

}  // namespace assay::cli
