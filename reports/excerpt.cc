#include "reports/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxPointerTokens = 512;
constexpr std::size_t kLongestPointer = 200;

std::vector<std::string> tokens(std::string_view pointer) {
  std::vector<std::string> out;
  while (pointer.starts_with('/') && out.size() < kMaxPointerTokens) {
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string token;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool is_escape = raw[i] == '~' && i + 1 < raw.size();
      if (is_escape && raw[i + 1] == '1') {
        token += '/', ++i;
      } else if (is_escape && raw[i + 1] == '0') {
        token += '~', ++i;
      } else {
        token += raw[i];
      }
    }
    out.push_back(std::move(token));
  }
  return out;
}

// Steps through JSON text without building it; a broken text ends every step at its end.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), at_(at) { skip_space(); }

  std::size_t at() const { return at_; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void step() {
    if (at_ < text_.size()) ++at_;
    skip_space();
  }

  // A string as it stands between its quotes; escapes stay as they are.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view out = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return out;
  }

  // Behind the value that starts here. Nesting is counted, not recursed into.
  std::size_t skip_value() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
        continue;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;  // the end of what encloses the value
        --depth, ++at_;
      } else if (c == ',' || c == ':' || is_space(c)) {
        if (depth == 0) break;
        ++at_;
        continue;
      } else {
        skip_word();
      }
      if (depth == 0) break;
    }
    const std::size_t end = at_;
    skip_space();
    return end;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  void skip_word() {
    const std::size_t end = text_.find_first_of(" \t\r\n,:]}[{\"", at_);
    at_ = end == std::string_view::npos ? text_.size() : std::max(end, at_ + 1);
  }

  std::string_view text_;
  std::size_t at_;
};

// The child that `token` names of the container at `begin`.
std::optional<Span> child(std::string_view text, std::size_t begin, const std::string& token) {
  Scanner scanner(text, begin);
  const bool is_object = scanner.peek() == '{';
  if (!is_object && scanner.peek() != '[') return std::nullopt;
  scanner.step();
  for (std::size_t index = 0; scanner.at() < text.size(); ++index) {
    const std::size_t start = scanner.at();
    bool is_it = !is_object && std::to_string(index) == token;
    if (is_object) {
      if (scanner.peek() != '"') return std::nullopt;
      is_it = scanner.string() == token;
      scanner = Scanner(text, scanner.at());
      if (scanner.peek() != ':') return std::nullopt;
      scanner.step();
    }
    const std::size_t end = scanner.skip_value();
    if (is_it && end > start) return Span{start, end, true};
    if (scanner.peek() != ',') return std::nullopt;
    scanner.step();
  }
  return std::nullopt;
}

// Where the value itself starts within a member's span.
std::size_t value_begin(std::string_view text, const Span& span, bool is_member) {
  Scanner scanner(text, span.begin);
  if (!is_member) return scanner.at();
  scanner.string();
  scanner = Scanner(text, scanner.at());
  scanner.step();  // the colon
  return scanner.at();
}

std::optional<Span> descend(std::string_view text, std::size_t begin,
                            const std::vector<std::string>& path, std::size_t& found) {
  Scanner root(text, begin);
  const std::size_t start = root.at();
  Span span{start, root.skip_value(), true};
  if (span.end == span.begin) return std::nullopt;
  std::size_t container = start;
  for (found = 0; found < path.size(); ++found) {
    const bool is_object = text[container] == '{';
    const std::optional<Span> next = child(text.substr(0, span.end), container, path[found]);
    if (!next) {
      span.is_exact = false;
      return span;
    }
    span = *next;
    container = value_begin(text, span, is_object);
    if (container >= text.size()) return span;
  }
  return span;
}

// Offsets where a JSON text may begin: the start, and each line that opens one, behind "data:" too.
std::vector<std::size_t> candidates(std::string_view text) {
  constexpr std::size_t kMaxCandidates = 256;
  std::vector<std::size_t> out;
  std::size_t line = 0;
  while (line < text.size() && out.size() < kMaxCandidates) {
    std::size_t at = line;
    if (text.substr(at).starts_with("data:")) at += 5;
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    if (at < text.size() && (text[at] == '{' || text[at] == '[')) out.push_back(at);
    const std::size_t newline = text.find('\n', line);
    if (newline == std::string_view::npos) break;
    line = newline + 1;
  }
  return out;
}

// `has_more`: the harness itself has cut off what followed.
std::string notice(std::size_t bytes, bool has_more = false) {
  return fmt::format("[cut: {}{} bytes]", has_more ? "more than " : "", bytes);
}

// Moves an offset forward or back to the next start of a code point.
std::size_t align(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return std::min(at, text.size());
}

std::string head(std::string_view text, std::size_t max_bytes, bool has_more = false) {
  if (text.size() <= max_bytes) return printable_text(text) + (has_more ? "[cut]" : "");
  const std::size_t end = align(text, max_bytes);
  return printable_text(text.substr(0, end)) + notice(text.size() - end, has_more);
}

std::string tail(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return printable_text(text);
  const std::size_t begin = align(text, text.size() - max_bytes);
  return notice(begin) + printable_text(text.substr(begin));
}

}  // namespace

std::optional<Span> json_part(std::string_view text) {
  constexpr int kMostTries = 40;
  std::size_t line = 0;
  for (int i = 0; i < kMostTries && line < text.size(); ++i) {
    std::size_t begin = line;
    if (text.substr(begin).starts_with("data:")) begin += 5;
    begin = std::min(text.find_first_not_of(" \t", begin), text.size());
    const std::size_t newline = std::min(text.find('\n', line), text.size());
    if (begin < newline && (text[begin] == '{' || text[begin] == '[')) {
      for (const std::size_t end : {text.size(), newline}) {
        if (nlohmann::json::accept(text.substr(begin, end - begin))) return Span{begin, end, true};
      }
    }
    line = newline + 1;
  }
  return std::nullopt;
}

std::optional<Span> locate(std::string_view text, std::string_view pointer) {
  if (pointer.empty()) return std::nullopt;
  const std::vector<std::string> path = tokens(pointer);
  std::optional<Span> best;
  std::size_t best_depth = 0;
  for (const std::size_t begin : candidates(text)) {
    std::size_t depth = 0;
    const std::optional<Span> found = descend(text, begin, path, depth);
    if (!found) continue;
    if (found->is_exact) return found;
    if (!best || depth > best_depth) best = found, best_depth = depth;
  }
  return best;
}

std::string_view pointer_word(const Excerpt& part) {
  if (!part.unseen.empty()) return "after the cut";
  return part.missing.empty() ? "offending part" : "missing";
}

Excerpt excerpt(const Evidence& evidence, std::size_t max_bytes) {
  const std::string_view text = evidence.text;
  const std::optional<Span> span = locate(text, evidence.pointer);
  Excerpt out;
  // What would hold the part does not end here: it may well be there, after the cut.
  const bool is_out_of_sight =
      evidence.is_cut && span && !span->is_exact && span->end == text.size();
  if (!span || is_out_of_sight) {
    out.before = head(text, max_bytes, evidence.is_cut);
    if (is_out_of_sight) out.unseen = printable_line(cut(evidence.pointer, kLongestPointer));
    return out;
  }
  // What stands before tells less than what stands behind: a third and two thirds of the room.
  const std::size_t marked = std::min(span->end - span->begin, max_bytes / 2);
  const std::size_t room = max_bytes - marked;
  out.before = tail(text.substr(0, span->begin), room / 3);
  out.marked = head(text.substr(span->begin, span->end - span->begin), marked);
  out.after = head(text.substr(span->end), room - room / 3, evidence.is_cut);
  if (!span->is_exact) {
    out.missing = printable_line(cut(evidence.pointer, kLongestPointer));
    // The whole message is the parent: marking all of it says nothing.
    if (out.before.empty() && out.after.empty()) std::swap(out.before, out.marked);
  }
  return out;
}

}  // namespace assay::reports
