#include "fuzz/live/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <variant>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "case-";
constexpr std::string_view kSuffix = ".jsonl";
constexpr std::size_t kHashDigits = 16;
// Entries of the folder that are looked at: it may be anybody's.
constexpr std::size_t kMostEntries = 100'000;
// Ids are counted from one, so that the same case has the same name in each run.
constexpr std::uint64_t kFirstId = 1'000'000;
constexpr std::uint64_t kLastId = 1'000'999;
// Nothing else is counted from here: no new id is one that has still to be replaced.
constexpr std::uint64_t kAside = 8'000'000;

std::string name_for(std::string_view text) {
  return fmt::format("{}{:016x}{}", kPrefix, hash(text), kSuffix);
}

bool is_our_name(const std::string& name) {
  if (name.size() != kPrefix.size() + kHashDigits + kSuffix.size()) return false;
  const std::string_view digits = std::string_view(name).substr(kPrefix.size(), kHashDigits);
  return name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The numbers in the steps that are ids of ours.
std::vector<std::uint64_t> kept_ids(const Steps& steps) {
  std::set<std::uint64_t> ids;
  const std::size_t length = std::to_string(kFirstId).size();
  for (const Step& step : steps) {
    for (std::size_t at = 0; at < step.bytes.size();) {
      std::size_t end = at;
      while (end < step.bytes.size() && is_digit(step.bytes[end])) ++end;
      if (end - at == length) {
        const std::uint64_t number = std::stoull(step.bytes.substr(at, length));
        if (number > kFirstId && number <= kLastId) ids.insert(number);
      }
      at = std::max(end, at + 1);
    }
  }
  return {ids.begin(), ids.end()};
}

// Nothing where it is too large, or cannot be read.
std::optional<std::string> read_text(const fs::path& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string text(most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || in.gcount() > static_cast<std::streamsize>(most)) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// Of a file that somebody else wrote: lines of steps, or of messages as they are. Of one of ours
// nothing where it is not as it was written.
Steps steps_of(const std::string& name, const std::string& text) {
  auto read = from_jsonl(text);
  if (auto* steps = std::get_if<Steps>(&read); steps != nullptr && !steps->empty()) {
    return !is_our_name(name) || name == name_for(text) ? std::move(*steps) : Steps();
  }
  Steps steps;
  if (is_our_name(name)) return steps;
  for_each_line(text, [&](std::string_view line) {
    if (line.empty()) return;
    Step step;
    step.bytes = std::string(line) + "\n";
    steps.push_back(std::move(step));
  });
  return steps;
}

bool fits_transport(const Case& made, bool is_http) {
  return is_http || std::all_of(made.steps.begin(), made.steps.end(),
                                [](const Step& step) { return step.kind == Step::Kind::kBytes; });
}

}  // namespace

Corpus::Loaded Corpus::load(bool is_http) {
  Loaded loaded;
  std::error_code error;
  std::vector<std::string> found;
  std::size_t looked_at = 0;
  for (fs::directory_iterator at(directory_, error), end;
       !error && at != end && looked_at < kMostEntries; at.increment(error), ++looked_at) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!name.starts_with('.') && fs::is_regular_file(at->symlink_status(unknown))) {
      found.push_back(std::move(name));
    }
  }
  std::sort(found.begin(), found.end());
  for (const std::string& name : found) {
    if (is_full()) break;
    const auto text = read_text(directory_ / name, kLargestFile);
    Case made;
    if (text) made.steps = steps_of(name, *text);
    if (made.steps.empty() || made.steps.size() > kMostSteps) {
      if (loaded.skipped++ == 0) loaded.first_skipped = name;
      continue;
    }
    names_.insert(name);
    bytes_ += text->size();
    made.ids = kept_ids(made.steps);
    made.origin = "corpus: " + (is_our_name(name) ? name.substr(kPrefix.size(), kHashDigits / 2)
                                                  : shown(name, 40));
    if (fits_transport(made, is_http)) loaded.cases.push_back(std::move(made));
  }
  return loaded;
}

std::optional<std::string> Corpus::keep(Case made) {
  const bool is_kept = !made.is_fresh && !made.steps.empty() && made.steps.size() <= kMostSteps &&
                       made.ids.size() <= kLastId - kFirstId;
  if (!is_kept || is_full()) return std::nullopt;
  std::uint64_t aside = kAside;
  renumber(made, aside);
  std::uint64_t last = kFirstId;
  renumber(made, last);
  const std::string text = to_jsonl(made.steps);
  const std::string name = name_for(text);
  if (text.size() > kLargestFile || names_.contains(name)) return std::nullopt;
  std::error_code error;
  fs::create_directories(directory_, error);
  const fs::path draft = directory_ / ("." + name + ".part");
  fs::remove(draft, error);  // of a run that ended there; or a link to somewhere else
  std::ofstream out(draft, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  const bool is_written = !out.fail();
  if (is_written) fs::rename(draft, directory_ / name, error);
  if (!is_written || error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    return fmt::format("cannot write into the corpus '{}'", directory_.string());
  }
  names_.insert(name);
  bytes_ += text.size();
  ++added_;
  return std::nullopt;
}

}  // namespace assay::fuzz
