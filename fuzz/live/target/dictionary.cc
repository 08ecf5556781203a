#include "fuzz/live/target/dictionary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongestWord = 96;
constexpr std::size_t kShortestPlain = 3;
constexpr std::size_t kMostOfJson = 256;         // words of one value
constexpr std::size_t kLongestRead = 16u << 10;  // of a text
constexpr std::size_t kDeepestRead = 12;
constexpr std::size_t kLargestFile = 1u << 20;
constexpr std::size_t kMostOfFile = 10'000;

bool is_word_character(char c) {
  constexpr std::string_view kOthers = "_-.:/@+$#%";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80 || kOthers.find(c) != std::string_view::npos;
}

// Names, versions, addresses and numbers, as opposed to words of a sentence.
bool is_odd_word(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto c = static_cast<unsigned char>(word[i]);
    if (std::islower(c) == 0 && (i > 0 || std::isupper(c) == 0)) return true;
  }
  return false;
}

struct Reader {
  const std::string& tool;
  std::size_t most;
  std::vector<Word> words = {};

  void take(std::string_view text, bool is_likely) {
    const bool fits = !text.empty() && text.size() <= kLongestWord && words.size() < most;
    if (fits) words.push_back({tool, std::string(text), is_likely});
  }

  void read(std::string_view text) {
    text = text.substr(0, kLongestRead);
    take_quoted(text);
    for (std::size_t at = 0; at < text.size();) {
      if (!is_word_character(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      std::string_view word = text.substr(at, end - at);
      at = end;
      while (!word.empty() &&
             std::string_view(".:-/").find(word.back()) != std::string_view::npos) {
        word.remove_suffix(1);
      }
      const bool is_odd = is_odd_word(word);
      if (is_odd || word.size() >= kShortestPlain) take(word, is_odd);
    }
  }

  // What stands between quotation marks; an apostrophe within a word is none.
  void take_quoted(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char mark = text[at];
      if (mark != '"' && mark != '\'' && mark != '`') continue;
      const bool is_within = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
      const std::size_t end = is_within ? std::string_view::npos : text.find(mark, at + 1);
      if (end == std::string_view::npos) continue;
      take(text.substr(at + 1, end - at - 1), true);
      at = end;
    }
  }

  void read(const Json& json, std::size_t depth) {
    if (depth > kDeepestRead || words.size() >= most) return;
    if (json.is_string()) {
      const auto& text = json.get_ref<const std::string&>();
      take(text, true);
      read(text);
    } else if (json.is_number()) {
      take(json.dump(), true);
    } else if (json.is_structured()) {
      for (const Json& member : json) read(member, depth + 1);
    }
  }
};

// What is said of a tool anywhere in its listing, its name and the names of types aside.
void read_tool(Reader& reader, const Json& value, std::size_t depth) {
  if (depth > kDeepestRead || !value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    const bool is_word = value.is_object() && member.is_string();
    if (is_word && (key == "type" || key == "$schema" || key == "name" || key == "format"))
      continue;
    if (is_word && (key == "description" || key == "title")) {
      reader.read(member.get_ref<const std::string&>());
    } else if (member.is_primitive()) {
      reader.read(member, 0);
    } else {
      read_tool(reader, member, depth + 1);
    }
  }
}

Json value_of(const std::string& text) {
  const bool may_be_number = !text.empty() && text.size() < 20 &&
                             text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  const Json number = may_be_number ? Json::parse(text, nullptr, false) : Json();
  return number.is_number() ? number : Json(text);
}

// `a\x00b` as it stands in a file of words.
std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text.substr(i, 2) == "\\x" && i + 3 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 3])) != 0;
    if (is_code) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      out += text[++i];
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<Word> words_in(const Json& json, const std::string& tool) {
  Reader reader{tool, kMostOfJson};
  reader.read(json, 0);
  return std::move(reader.words);
}

void Dictionary::learn(const Vocabulary& words) {
  const auto learn_all = [&](Reader& reader) {
    for (Word& word : reader.words) add(std::move(word));
  };
  for (const Json& tool : words.tools) {
    const std::string name = text_member(tool, "name");
    Reader reader{name, kMostOfJson};
    reader.read(text_member(tool, "description"));
    for (const char* schema : {"inputSchema", "outputSchema", "annotations"}) {
      if (tool.contains(schema)) read_tool(reader, tool[schema], 0);
    }
    learn_all(reader);
  }
  const std::string none;
  Reader reader{none, kMostOfJson};
  for (const std::string& uri : words.resources) reader.take(uri, true);
  for (const Json& prompt : words.prompts) {
    reader.take(text_member(prompt, "name"), true);
    reader.read(text_member(prompt, "description"));
  }
  learn_all(reader);
}

void Dictionary::add(Word word) {
  if (word.text.empty() || word.text.size() > kLongestWord) return;
  if (!words_.contains(word.tool) && words_.size() >= kMostTools) return;
  if (!known_.insert(word.tool + '\n' + word.text).second) return;
  if (value_of(word.text).is_number()) {
    numbers_.push_back(word.text);
    if (numbers_.size() > kMostNumbers) numbers_.pop_front();
  }
  Words& words = words_[word.tool];
  std::deque<std::string>& into = word.is_likely ? words.likely : words.others;
  into.push_back(std::move(word.text));
  if (into.size() <= (word.is_likely ? kMostLikely : kMostOthers)) return;
  known_.erase(word.tool + '\n' + into.front());
  into.pop_front();
}

void Dictionary::keep(const std::vector<Word>& words) {
  for (const Word& word : words) kept_.push_back(word.text);
}

Json Dictionary::pick(const std::string& tool, model::Random& random) const {
  if (!kept_.empty() && (words_.empty() || random.chance(50))) return value_of(random.pick(kept_));
  const std::size_t roll = random.below(20);
  auto from = words_.find(roll < 10 ? tool : std::string());
  if (words_.empty()) return "assay";
  if (roll >= 14 || from == words_.end()) {
    from = words_.begin();
    std::advance(from, static_cast<std::ptrdiff_t>(random.below(words_.size())));
  }
  const Words& words = from->second;
  const bool is_likely = words.others.empty() || (!words.likely.empty() && !random.chance(20));
  const std::deque<std::string>& all = is_likely ? words.likely : words.others;
  if (all.empty()) return "assay";
  // What was said last is worth more.
  constexpr std::size_t kNewest = 24;
  const std::size_t size = all.size();
  const bool is_new = size > kNewest && random.chance(50);
  return value_of(all[is_new ? size - 1 - random.below(kNewest) : random.below(size)]);
}

std::optional<Json> Dictionary::pick_number(model::Random& random) const {
  if (numbers_.empty()) return std::nullopt;
  return value_of(random.pick(numbers_));
}

std::variant<std::vector<Word>, std::string> words_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fmt::format("cannot read '{}'", path);
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return fmt::format("cannot read '{}'", path);
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFile) return fmt::format("'{}' is larger than 1 MiB", path);
  std::vector<Word> words;
  bool has_long = false;
  for_each_line(text, [&](std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line[0] == '#' || words.size() > kMostOfFile) return;
    const std::size_t open = line.find('"');
    const bool is_quoted = open != std::string_view::npos && line.back() == '"' &&
                           line.size() > open + 1 && (open == 0 || line[open - 1] == '=');
    if (is_quoted) line = line.substr(open + 1, line.size() - open - 2);
    words.push_back({"", is_quoted ? without_escapes(line) : std::string(line), true});
    has_long = has_long || words.back().text.size() > kLongestWord;
  });
  if (words.size() > kMostOfFile) {
    return fmt::format("'{}' has more than {} words", path, kMostOfFile);
  }
  if (has_long) return fmt::format("'{}' has a word of over {} bytes", path, kLongestWord);
  return words;
}

}  // namespace assay::fuzz
