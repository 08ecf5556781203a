#include "reports/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace assay::reports {
namespace {

bool is_unreserved(unsigned char c) {
  return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
}

// As a URL's query holds it.
std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const auto c = static_cast<unsigned char>(byte);
    out += is_unreserved(c) ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

// Every form of each that a text of that length can hold, the longest first: one value may hold
// another. A run may have some hundred tokens, which JSON and URLs write as they are, and most
// texts are shorter than one.
std::vector<Secret> forms(std::span<const Secret> secrets,
                          std::size_t longest_text = std::string::npos) {
  std::vector<Secret> out;
  for (const Secret& secret : secrets) {
    const std::string& value = secret.value;
    if (value.size() < kShortestSecret || value.size() > longest_text) continue;
    out.push_back(secret);
    if (std::all_of(value.begin(), value.end(), is_unreserved)) continue;
    const std::string quoted =
        nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string inner = quoted.substr(1, quoted.size() - 2);
    if (inner != value) out.push_back({inner, secret.shown});
    const std::string encoded = percent_encoded(value);
    if (encoded != value) out.push_back({encoded, secret.shown});
  }
  std::stable_sort(out.begin(), out.end(), [](const Secret& a, const Secret& b) {
    return a.value.size() > b.value.size();
  });
  return out;
}

void replace_all(std::string& text, std::span<const Secret> all) {
  for (const Secret& secret : all) {
    if (find_quickly(text, secret.value) != std::string::npos) {
      text = replaced(text, secret.value, secret.shown);
    }
  }
}

// Shorter parts of a value tell nothing, and are found everywhere.
constexpr std::size_t kShortestPart = 6;
// What stands where a text was cut (escape.h, cut()), and before the end of a long text.
constexpr std::string_view kCutMark = " [cut: ";
constexpr std::array<std::string_view, 2> kTailMarks = {"ends with:\n", "its last words: "};

// The beginning of a value right before `end`. Returns where the text before `end` ends then, but
// for what was put there.
std::size_t replace_begun(std::string& text, std::size_t end, std::span<const Secret> all) {
  const std::string_view before = std::string_view(text).substr(0, end);
  for (const Secret& secret : all) {
    for (std::size_t size = std::min(secret.value.size() - 1, end); size >= kShortestPart; --size) {
      if (!before.ends_with(std::string_view(secret.value).substr(0, size))) continue;
      text.replace(end - size, size, secret.shown);
      return end - size;
    }
  }
  return end;
}

// The end of a value right behind `begin`.
void replace_ended(std::string& text, std::size_t begin, std::span<const Secret> all) {
  const std::string_view behind = std::string_view(text).substr(begin);
  for (const Secret& secret : all) {
    const std::string_view value = secret.value;
    for (std::size_t size = std::min(value.size() - 1, behind.size()); size >= kShortestPart;
         --size) {
      if (!behind.starts_with(value.substr(value.size() - size))) continue;
      text.replace(begin, size, secret.shown);
      return;
    }
  }
}

// A text of our own that quotes the target, and may have cut what it quotes.
void replace_quoted(std::string& text, std::span<const Secret> all) {
  replace_all(text, all);
  // From the last to the first: what is replaced moves what stands behind it.
  std::size_t mark = text.rfind(kCutMark);
  while (mark != std::string::npos) {
    const std::size_t end = replace_begun(text, mark, all);
    mark = end == 0 ? std::string::npos : text.rfind(kCutMark, end - 1);
  }
  for (const std::string_view mark_of_tail : kTailMarks) {
    const std::size_t tail = text.find(mark_of_tail);
    if (tail != std::string::npos) replace_ended(text, tail + mark_of_tail.size(), all);
  }
}

void redact_verdict(Verdict& verdict, std::span<const Secret> all) {
  for (std::string* text : {&verdict.detail, &verdict.hint, &verdict.reproduce}) {
    replace_quoted(*text, all);
  }
  for (Step& step : verdict.history) replace_quoted(step.detail, all);
  for (Evidence& evidence : verdict.evidence) {
    replace_all(evidence.text, all);
    replace_all(evidence.pointer, all);
    const bool is_piece = evidence.lane == "stderr";
    if (evidence.is_cut || is_piece) replace_begun(evidence.text, evidence.text.size(), all);
    if (is_piece) replace_ended(evidence.text, 0, all);
  }
}

}  // namespace

// That of glibc goes by the two-way algorithm, and by a table of hashes for what is short.
std::size_t find_quickly(std::string_view text, std::string_view what) {
  const void* found = ::memmem(text.data(), text.size(), what.data(), what.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = find_quickly(text, what); at != std::string_view::npos;
       at = find_quickly(text, what)) {
    out += text.substr(0, at);
    out += by;
    text.remove_prefix(at + what.size());
  }
  return out += text;
}

void redact(std::string& text, std::span<const Secret> secrets) {
  replace_all(text, forms(secrets, text.size()));
}

void redact_piece(std::string& text, std::span<const Secret> secrets) {
  const std::vector<Secret> all = forms(secrets);
  replace_all(text, all);
  replace_begun(text, text.size(), all);
  replace_ended(text, 0, all);
}

void redact_quoted(std::string& text, std::span<const Secret> secrets) {
  replace_quoted(text, forms(secrets));
}

void redact(Result& result, std::span<const Secret> secrets) {
  const std::vector<Secret> all = forms(secrets);
  if (all.empty()) return;
  for (std::string* text : {&result.target.name, &result.target.version, &result.target.url}) {
    replace_quoted(*text, all);
  }
  for (std::string& word : result.target.command) replace_all(word, all);
  for (Run& run : result.runs) {
    replace_quoted(run.reason, all);
    for (Verdict& verdict : run.verdicts) redact_verdict(verdict, all);
    for (Candidate& candidate : run.candidates) redact_verdict(candidate.verdict, all);
  }
}

}  // namespace assay::reports
