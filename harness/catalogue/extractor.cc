#include "harness/catalogue/extractor.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/catalogue/markdown_blocks.h"
#include "harness/catalogue/vocabulary.h"
#include "reports/digest.h"

namespace assay::catalogue {
namespace {

using reports::Level;

constexpr std::size_t kFingerprintDigits = 10;

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// "[text](target)" and "[text][name]" become "text".
std::string without_links(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') continue;
    if (text[at] != ']') {
      out += text[at];
      continue;
    }
    if (at + 1 >= text.size() || (text[at + 1] != '(' && text[at + 1] != '[')) continue;
    const std::size_t end = text.find(text[at + 1] == '(' ? ')' : ']', at + 1);
    if (end != std::string_view::npos) at = end;
  }
  return out;
}

// What is left when emphasis, code marks and superfluous space are gone.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '`') continue;
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool is_abbreviation(std::string_view before) {
  constexpr std::array<std::string_view, 5> kAll = {"e.g", "i.e", "vs", "cf", "Fig"};
  return std::any_of(kAll.begin(), kAll.end(), [&](std::string_view word) {
    return before.ends_with(word) &&
           (before.size() == word.size() || !is_alnum(before[before.size() - word.size() - 1]));
  });
}

// Whether the full stop (or '?' or '!') at `at` ends a sentence; sets `next` to where the next
// begins.
bool ends_sentence(std::string_view text, std::size_t at, std::size_t& next) {
  if (text[at] == '.' && is_abbreviation(text.substr(0, at))) return false;
  next = text.find_first_not_of(")\"'*_`", at + 1);
  if (next == std::string_view::npos) next = text.size();
  if (next == text.size()) return true;
  if (!is_space(text[next])) return false;
  next = std::min(text.find_first_not_of(' ', next), text.size());
  if (next == text.size()) return true;
  const std::size_t letter = std::min(text.find_first_not_of("(\"'*_`", next), text.size());
  return letter == text.size() || letter > next || is_upper(text[letter]);
}

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '.' && text[at] != '?' && text[at] != '!') continue;
    std::size_t next = 0;
    if (!ends_sentence(text, at, next)) continue;
    out.emplace_back(text.substr(begin, next - begin));
    begin = next;
    at = next - 1;
  }
  if (begin < text.size()) out.emplace_back(text.substr(begin));
  return out;
}

std::vector<Level> keywords(std::string_view bare_text) {
  constexpr std::array<std::string_view, 11> kWords = {
      "NOT RECOMMENDED", "MUST NOT", "SHALL NOT",   "SHOULD NOT", "MUST",    "SHALL",
      "SHOULD",          "REQUIRED", "RECOMMENDED", "MAY",        "OPTIONAL"};
  std::vector<Level> out;
  for (std::size_t at = 0; at < bare_text.size();) {
    if ((at > 0 && is_alnum(bare_text[at - 1])) || !is_upper(bare_text[at])) {
      ++at;
      continue;
    }
    const auto word = std::find_if(kWords.begin(), kWords.end(), [&](std::string_view it) {
      const std::string_view rest = bare_text.substr(at);
      return rest.starts_with(it) && (rest.size() == it.size() || !is_alnum(rest[it.size()]));
    });
    if (word == kWords.end()) {
      ++at;
      continue;
    }
    const Level level = parse_keyword(*word).value();
    if (std::find(out.begin(), out.end(), level) == out.end()) out.push_back(level);
    at += word->size();
  }
  return out;
}

bool introduces_keywords(std::string_view bare_text) {
  return bare_text.find("key words") != std::string_view::npos &&
         bare_text.find("RFC") != std::string_view::npos;
}

// A block that ends with ':' and holds a keyword, which its list's items inherit.
struct Lead {
  int indent = 0;
  bool is_item = false;
  int items_indent = -1;  // of the items that inherit, once the first is seen
  std::string text;
  std::vector<Level> levels;
};

class Extraction {
 public:
  ExtractedPage page;

  void take(const Block& block) {
    if (block.kind == Block::Kind::kHeading) return heading(block);
    if (block.kind == Block::Kind::kCode) return code();
    const Lead* const lead = lead_of(block);
    const std::vector<std::string> parts = sentences(without_links(block.text));
    for (std::size_t i = 0; i < parts.size(); ++i) add(block, parts[i], i == 0 ? lead : nullptr);
    if (!parts.empty()) open_lead(block, parts.back());
  }

 private:
  void heading(const Block& block) {
    leads_.clear();
    while (!open_.empty() && open_.back().first >= block.level) open_.pop_back();
    std::string anchor = heading_anchor(block.text);
    // The site tells later headings of the same name apart with a number.
    const int count = ++seen_[anchor];
    if (count > 1) anchor += "-" + std::to_string(count);
    page.anchors.push_back(anchor);
    open_.emplace_back(block.level, anchor);
  }

  // A lead whose list has not begun spoke of the code.
  void code() {
    std::erase_if(leads_, [](const Lead& lead) { return lead.items_indent < 0; });
  }

  // The lead whose list the block is an item of; leads that the block closes are forgotten.
  const Lead* lead_of(const Block& block) {
    const bool is_item = block.kind == Block::Kind::kItem;
    const auto is_closed = [&](const Lead& lead) {
      if (!is_item || lead.is_item) return lead.indent >= block.indent;
      return lead.indent > block.indent || lead.items_indent > block.indent;
    };
    while (!leads_.empty() && is_closed(leads_.back())) leads_.pop_back();
    if (!is_item || leads_.empty()) return nullptr;
    Lead& lead = leads_.back();
    if (lead.items_indent < 0) lead.items_indent = block.indent;
    return lead.items_indent == block.indent ? &lead : nullptr;
  }

  void open_lead(const Block& block, const std::string& last) {
    const std::string text = bare(last);
    if (!text.ends_with(':')) return;
    std::vector<Level> levels = keywords(text);
    if (levels.empty()) return;
    leads_.push_back({block.indent, block.kind == Block::Kind::kItem, -1, text, std::move(levels)});
  }

  void add(const Block& block, const std::string& part, const Lead* lead) {
    const std::string text = bare(part);
    std::vector<Level> levels = keywords(text);
    if (lead != nullptr) levels.insert(levels.begin(), lead->levels.begin(), lead->levels.end());
    if (levels.empty() || text.empty() || introduces_keywords(text)) return;
    Sentence sentence;
    for (const auto& [level, anchor] : open_) sentence.enclosing.push_back(anchor);
    if (!sentence.enclosing.empty()) {
      sentence.anchor = sentence.enclosing.back();
      sentence.enclosing.pop_back();
    }
    sentence.line = block.line;
    sentence.text = lead != nullptr ? lead->text + " > " + text : text;
    sentence.levels = std::move(levels);
    sentence.fingerprint = reports::sha256_hex(sentence.text).substr(0, kFingerprintDigits);
    page.sentences.push_back(std::move(sentence));
  }

  std::vector<std::pair<int, std::string>> open_;  // level and anchor of the headings around
  std::map<std::string, int> seen_;
  std::vector<Lead> leads_;
};

void collect(const nlohmann::json& node, const std::string& anchor, ExtractedPage& page) {
  if (node.is_array()) {
    for (const auto& item : node) collect(item, anchor, page);
  }
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) {
    if (key != "description" || !value.is_string()) {
      collect(value, anchor, page);
      continue;
    }
    for (Sentence& sentence : extract_page(value.get<std::string>()).sentences) {
      sentence.anchor = anchor;
      sentence.enclosing.clear();
      sentence.line = 0;
      page.sentences.push_back(std::move(sentence));
    }
  }
}

}  // namespace

std::string heading_anchor(std::string_view heading) {
  std::string out;
  for (const char c : without_links(heading)) {
    if (is_alnum(c)) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ' || c == '-') {
      out += '-';
    }
  }
  return out;
}

ExtractedPage extract_page(std::string_view mdx) {
  Extraction extraction;
  for (const Block& block : markdown_blocks(mdx)) extraction.take(block);
  return std::move(extraction.page);
}

ExtractedPage extract_schema(std::string_view json) {
  ExtractedPage page;
  const nlohmann::json root = nlohmann::json::parse(json, nullptr, false);
  if (!root.is_object()) return page;
  const char* const key = root.contains("$defs") ? "$defs" : "definitions";
  if (!root.contains(key)) return page;
  for (const auto& [name, definition] : root[key].items()) {
    std::string anchor = name;
    std::transform(anchor.begin(), anchor.end(), anchor.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    page.anchors.push_back(anchor);
    collect(definition, anchor, page);
  }
  return page;
}

}  // namespace assay::catalogue
