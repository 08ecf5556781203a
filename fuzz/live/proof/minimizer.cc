#include "fuzz/live/proof/minimizer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// For the bytes of one step: most of what is tried there is no message any more.
constexpr std::size_t kByteTrials = 60;

// A part of a text that can be left out: a member of an object or an element of an array, with one
// of the commas beside it.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Found by brackets and commas alone, so that it works on what is no JSON, too.
std::vector<Span> find_members(std::string_view text) {
  constexpr std::size_t kMost = 400;
  std::vector<Span> spans;
  std::vector<std::size_t> starts;  // of the open member on each level
  for (std::size_t at = 0; at < text.size() && spans.size() < kMost;) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') starts.push_back(at + 1);
    if (c == ',' && !starts.empty()) {
      spans.push_back({starts.back(), at + 1});
      starts.back() = at + 1;
    }
    if ((c == '}' || c == ']') && !starts.empty()) {
      const std::size_t begin = starts.back();
      // The last member goes with the comma before it, where there is one.
      const bool has_comma = begin > 0 && text[begin - 1] == ',';
      if (at > begin) spans.push_back({has_comma ? begin - 1 : begin, at});
      starts.pop_back();
    }
    ++at;
  }
  std::stable_sort(spans.begin(), spans.end(), [](const Span& left, const Span& right) {
    return left.end - left.begin > right.end - right.begin;
  });
  return spans;
}

// A piece of one to eight bytes that is repeated many times over.
struct Run {
  std::size_t begin = 0;
  std::size_t unit = 1;
  std::size_t count = 0;
};

Run longest_run(std::string_view text) {
  constexpr std::size_t kLeast = 12;
  Run longest;
  for (std::size_t unit = 1; unit <= 8; ++unit) {
    std::size_t same = 0;
    for (std::size_t at = unit; at <= text.size(); ++at) {
      if (at < text.size() && text[at] == text[at - unit]) {
        ++same;
        continue;
      }
      const std::size_t count = same / unit + 1;
      if (count >= kLeast && count * unit > longest.count * longest.unit) {
        longest = {at - same - unit, unit, count};
      }
      same = 0;
    }
  }
  return longest;
}

// The text with the run cut to `count` repetitions, and with as many of the brackets taken away
// that close what the run opens.
std::string with_run_of(std::string_view text, const Run& run, std::size_t count) {
  const std::string_view unit = text.substr(run.begin, run.unit);
  std::string out(text.substr(0, run.begin + count * run.unit));
  std::string_view rest = text.substr(run.begin + run.count * run.unit);
  for (const auto& [open, close] :
       {std::pair<char, char>('[', ']'), std::pair<char, char>('{', '}')}) {
    if (unit.find(open) == std::string_view::npos) continue;
    const std::size_t first = rest.find(close);
    if (first == std::string_view::npos) continue;
    std::size_t closers = 0;
    while (first + closers < rest.size() && rest[first + closers] == close) ++closers;
    const std::size_t cut = std::min(closers, run.count - count);
    out += rest.substr(0, first);
    rest.remove_prefix(first + cut);
  }
  return out + std::string(rest);
}

class Minimizer {
 public:
  Minimizer(Recipe recipe, const std::function<bool(const Recipe&)>& shows,
            const MinimizeLimits& limits)
      : best_(std::move(recipe)),
        shows_(shows),
        trials_left_(limits.trials),
        stop_(limits.stop),
        deadline_(Clock::now() + limits.time) {}

  Recipe run() {
    shorten_sequence();
    for (std::size_t i = 0; i < best_.steps.size() && !is_over(); ++i) {
      shorten_lines(i);
      shorten_runs(i);
      drop_members(i);
      simplify(i);
      drop_bytes(i);
    }
    drop_waits();
    if (best_.manners != 0 && !is_over()) {
      Recipe recipe = best_;
      recipe.manners = 0;
      try_recipe(std::move(recipe));
    }
    shorten_sequence();
    return best_;
  }

 private:
  // Asked before a recipe is copied: it may be large, and there are many ways to make it smaller.
  bool is_over() const {
    return trials_left_ == 0 || stop_.stop_requested() || Clock::now() >= deadline_;
  }

  bool try_recipe(Recipe recipe) {
    if (is_over() || recipe.steps.empty() || recipe == best_) return false;
    --trials_left_;
    if (!shows_(recipe)) return false;
    best_ = std::move(recipe);
    return true;
  }

  bool try_bytes(std::size_t index, std::string bytes) {
    if (is_over()) return false;
    Recipe recipe = best_;
    recipe.steps[index].bytes = std::move(bytes);
    return try_recipe(std::move(recipe));
  }

  void shorten_sequence() {
    for (std::size_t size = best_.steps.size() / 2 + best_.steps.size() % 2; size > 0 && !is_over();
         size = size == 1 ? 0 : (size + 1) / 2) {
      // From the end: what provokes is mostly the last thing that was sent.
      for (std::size_t end = best_.steps.size(); end > 0 && best_.steps.size() > 1 && !is_over();) {
        const std::size_t begin = end > size ? end - size : 0;
        Recipe recipe = best_;
        recipe.steps.erase(recipe.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                           recipe.steps.begin() + static_cast<std::ptrdiff_t>(end));
        try_recipe(std::move(recipe));
        end = begin;
      }
      if (size >= best_.steps.size()) size = best_.steps.size();
    }
  }

  // A step that holds several lines: without each of them.
  void shorten_lines(std::size_t index) {
    std::size_t at = 0;
    while (!is_over()) {
      const std::string& bytes = best_.steps[index].bytes;
      const std::size_t end = bytes.find('\n', at);
      if (end == std::string::npos || end + 1 >= bytes.size()) {
        if (at == 0 || at >= bytes.size()) return;
        try_bytes(index, bytes.substr(0, at));
        return;
      }
      if (!try_bytes(index, bytes.substr(0, at) + bytes.substr(end + 1))) at = end + 1;
    }
  }

  void shorten_runs(std::size_t index) {
    const Run run = longest_run(best_.steps[index].bytes);
    if (run.count == 0) return;
    const std::string whole = best_.steps[index].bytes;
    std::size_t low = 0;  // does not show it, as far as we know
    std::size_t high = run.count;
    if (try_bytes(index, with_run_of(whole, run, 1))) return;
    while (high - low > std::max<std::size_t>(1, high / 16) && !is_over()) {
      const std::size_t middle = low + (high - low) / 2;
      (try_bytes(index, with_run_of(whole, run, middle)) ? high : low) = middle;
    }
  }

  void drop_members(std::size_t index) {
    bool has_changed = true;
    while (has_changed && !is_over()) {
      has_changed = false;
      const std::string text = best_.steps[index].bytes;
      for (const Span& span : find_members(text)) {
        if (is_over()) return;
        std::string shorter = text.substr(0, span.begin) + text.substr(span.end);
        if (try_bytes(index, std::move(shorter))) {
          has_changed = true;
          break;
        }
      }
    }
  }

  // The simplest request that still shows it, and the simplest ids.
  void simplify(std::size_t index) {
    const std::string text = best_.steps[index].bytes;
    static constexpr std::string_view kMethod = "\"method\":\"";
    const std::size_t at = text.find(kMethod);
    if (at != std::string::npos) {
      const std::size_t begin = at + kMethod.size();
      const std::size_t end = std::min(text.find('"', begin), text.size());
      if (text.substr(begin, end - begin) != "ping") {
        try_bytes(index, text.substr(0, begin) + "ping" + text.substr(end));
      }
    }
  }

  void drop_bytes(std::size_t index) {
    constexpr std::size_t kLongest = 4096;  // what is longer costs more trials than there are
    const std::size_t stop_at = trials_left_ > kByteTrials ? trials_left_ - kByteTrials : 0;
    const std::size_t size = best_.steps[index].bytes.size();
    if (size > kLongest) return;
    for (std::size_t chunk = std::max<std::size_t>(size / 2, 1); chunk > 0; chunk /= 2) {
      // Not the newline at the end: the message would flow into the next one.
      for (std::size_t at = 0; at + chunk < best_.steps[index].bytes.size() && !is_over();) {
        if (trials_left_ <= stop_at) return;
        std::string shorter = best_.steps[index].bytes;
        shorter.erase(at, chunk);
        if (!try_bytes(index, std::move(shorter))) at += chunk;
      }
    }
  }

  void drop_waits() {
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      if (!best_.steps[i].waits) continue;
      if (is_over()) return;
      Recipe recipe = best_;
      recipe.steps[i].waits = false;
      try_recipe(std::move(recipe));
    }
  }

  Recipe best_;
  const std::function<bool(const Recipe&)>& shows_;
  std::size_t trials_left_;
  const std::stop_token stop_;
  const Clock::time_point deadline_;
};

using ShowsTogether = std::function<bool(const std::vector<Case>&)>;

Case halve(std::vector<Case> cases, const ShowsTogether& shows) {
  while (cases.size() > 1) {
    const auto middle = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
    std::vector<Case> half(cases.begin(), middle);
    if (!shows(half)) half.assign(middle, cases.end());
    cases = std::move(half);
  }
  return std::move(cases[0]);
}

}  // namespace

Case narrow(std::vector<Case> suspects, const ShowsTogether& shows) {
  Case whole = halve(std::move(suspects), shows);
  if (whole.steps.size() < 2) return whole;
  std::vector<Case> parts(whole.steps.size(), whole);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].steps = {whole.steps[i]};
  Case part = halve(std::move(parts), shows);
  return shows({part}) ? part : whole;
}

Recipe minimize(Recipe recipe, const std::function<bool(const Recipe&)>& shows,
                const MinimizeLimits& limits) {
  return Minimizer(std::move(recipe), shows, limits).run();
}

}  // namespace assay::fuzz
