// Words and numbers that the target itself names, in errors, descriptions, schemas and results, and
// that the user knows: what is compared with them is reached by no other guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "fuzz/live/target/vocabulary.h"
#include "reference/model/random.h"

namespace assay::fuzz {

struct Word {
  std::string tool;        // that it was said of; empty: of none
  std::string text;        // a number as it is written
  bool is_likely = false;  // it was quoted, or is no word of plain English
};

// The words in what the target said of `tool`, from every string and number in it. Few, and each of
// them short.
std::vector<Word> words_in(const Json& json, const std::string& tool);

// Used by one thread.
class Dictionary {
 public:
  // Of each tool, and of none; the oldest go first.
  static constexpr std::size_t kMostLikely = 256;
  static constexpr std::size_t kMostOthers = 128;
  static constexpr std::size_t kMostTools = 200;
  static constexpr std::size_t kMostNumbers = 128;

  // From descriptions, schemas and addresses.
  void learn(const Vocabulary& words);
  void add(Word word);
  // Words of the user: none is forgotten for others.
  void keep(const std::vector<Word>& words);
  // A word or number for an argument of that tool, rather one that was said of it, and rather one
  // that is likely. A text where there is none.
  Json pick(const std::string& tool, model::Random& random) const;
  // A number that was said of whatever; nothing where there is none.
  std::optional<Json> pick_number(model::Random& random) const;
  std::size_t size() const { return known_.size(); }

 private:
  struct Words {
    std::deque<std::string> likely;
    std::deque<std::string> others;
  };

  std::map<std::string, Words> words_;  // by tool
  std::vector<std::string> kept_;
  std::unordered_set<std::string> known_;
  std::deque<std::string> numbers_;
};

// The words of a file, one a line: as it stands, or as fuzzers write it (`name="a\x00b"`). Lines
// that begin with # are passed over. Otherwise: one sentence that says what is wrong.
std::variant<std::vector<Word>, std::string> words_of_file(const std::string& path);

}  // namespace assay::fuzz
