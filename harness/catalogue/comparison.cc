#include "harness/catalogue/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "reports/escape.h"

namespace assay::catalogue {
namespace {

using Kind = Difference::Kind;

// Two sentences that share less are two statements.
constexpr double kAlike = 0.5;

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// How often each word occurs, whatever its case and the punctuation around it.
std::map<std::string, int> words_of(const std::string& text) {
  std::map<std::string, int> words;
  std::string word;
  for (const char each : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(each)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    } else if (!word.empty()) {
      ++words[std::exchange(word, "")];
    }
  }
  return words;
}

// The part of their words that two texts share: 0 to 1.
double likeness(const std::string& a, const std::string& b) {
  const auto words = words_of(a);
  const auto others = words_of(b);
  int all = 0;
  int shared = 0;
  for (const auto& [word, count] : words) {
    all += count;
    const auto found = others.find(word);
    if (found != others.end()) shared += std::min(count, found->second);
  }
  for (const auto& [word, count] : others) all += count;
  return all == 0 ? 0 : 2.0 * shared / all;
}

// Each distinct sentence of the page once.
std::vector<Stated> statements_of(const Pages& pages, const std::string& page) {
  std::vector<Stated> all;
  std::set<std::string> seen;
  const auto found = pages.find(page);
  if (found == pages.end()) return all;
  for (const Sentence& sentence : found->second.sentences) {
    if (seen.insert(sentence.fingerprint).second) all.push_back({page, sentence});
  }
  return all;
}

// Those of `from` that stand nowhere on the same page of `other`.
std::vector<Stated> missing_from(const Pages& other, const Pages& from) {
  std::vector<Stated> missing;
  for (const auto& [page, content] : from) {
    std::set<std::string> there;
    for (const Stated& each : statements_of(other, page)) there.insert(each.sentence.fingerprint);
    for (Stated& each : statements_of(from, page)) {
      if (!there.contains(each.sentence.fingerprint)) missing.push_back(std::move(each));
    }
  }
  return missing;
}

// Pairs of one gone and one new statement, the most alike first.
class Pairs {
 public:
  Pairs(std::vector<Stated> gone, std::vector<Stated> added)
      : gone_(std::move(gone)), added_(std::move(added)) {}

  // Takes out the pairs of which `measure` says the most, down to `least`.
  template <typename Measure>
  void pair(Kind kind, double least, const Measure& measure) {
    struct Candidate {
      double likeness;
      std::size_t gone;
      std::size_t added;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < gone_.size(); ++i) {
      for (std::size_t j = 0; j < added_.size(); ++j) {
        const double measured = measure(gone_[i], added_[j]);
        if (measured >= least) candidates.push_back({measured, i, j});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.likeness > b.likeness; });
    std::set<std::size_t> paired_gone;
    std::set<std::size_t> paired_added;
    for (const Candidate& each : candidates) {
      if (paired_gone.contains(each.gone) || paired_added.contains(each.added)) continue;
      paired_gone.insert(each.gone);
      paired_added.insert(each.added);
      found_.push_back({kind, gone_[each.gone], added_[each.added]});
    }
    remove(gone_, paired_gone);
    remove(added_, paired_added);
  }

  std::vector<Difference> take() {
    for (Stated& each : gone_) found_.push_back({Kind::kRemoved, std::move(each), std::nullopt});
    for (Stated& each : added_) found_.push_back({Kind::kAdded, std::nullopt, std::move(each)});
    return std::move(found_);
  }

 private:
  static void remove(std::vector<Stated>& all, const std::set<std::size_t>& places) {
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(*place));
    }
  }

  std::vector<Stated> gone_;
  std::vector<Stated> added_;
  std::vector<Difference> found_;
};

double is_same_text(const Stated& gone, const Stated& added) {
  return gone.sentence.fingerprint == added.sentence.fingerprint ? 1 : 0;
}

// Under the same heading a little more than elsewhere on the page.
double alike_on_page(const Stated& gone, const Stated& added) {
  constexpr double kSameHeading = 0.1;
  if (gone.page != added.page) return 0;
  const double measured = likeness(gone.sentence.text, added.sentence.text);
  const bool is_near = gone.sentence.anchor == added.sentence.anchor;
  return measured < kAlike ? 0 : measured + (is_near ? kSameHeading : 0);
}

const Stated& place_of(const Difference& difference) {
  return difference.after ? *difference.after : *difference.before;
}

const char* name(Kind kind) {
  switch (kind) {
    case Kind::kAdded:
      return "added";
    case Kind::kChanged:
      return "changed";
    case Kind::kMoved:
      return "moved";
    case Kind::kRemoved:
      return "removed";
  }
  return "";
}

std::string place_text(const Stated& stated) {
  return reports::printable_line(fmt::format("{}#{}", stated.page, stated.sentence.anchor));
}

std::string paragraph(const Difference& difference, const Accounts& accounts) {
  std::string text = fmt::format("{} {}", name(difference.kind), place_text(place_of(difference)));
  if (difference.kind == Kind::kMoved) text += ", from " + place_text(*difference.before);
  text += '\n';
  const bool shows_both = difference.kind == Kind::kChanged;
  if (difference.before && (shows_both || !difference.after)) {
    text += "    - " + reports::printable_line(difference.before->sentence.text) + '\n';
  }
  if (difference.after) {
    text += fmt::format("    {} {}\n", difference.kind == Kind::kMoved ? ' ' : '+',
                        reports::printable_line(difference.after->sentence.text));
  }
  if (!difference.before) return text;
  const auto account =
      accounts.find({difference.before->page, difference.before->sentence.fingerprint});
  if (account != accounts.end()) {
    text += fmt::format("    = {}\n", fmt::join(account->second, " "));
  }
  return text;
}

}  // namespace

Pages read_other_pages(const std::filesystem::path& folder) {
  Pages pages;
  const bool has_room = std::filesystem::is_directory(folder / "pages");
  const std::filesystem::path root = has_room ? folder / "pages" : folder;
  for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path ending = item.path().extension();
    if (ending != ".md" && ending != ".mdx") continue;
    std::filesystem::path page = item.path().lexically_relative(root);
    pages[page.replace_extension().generic_string()] = extract_page(text_of_file(item.path()));
  }
  const std::filesystem::path schema = folder / "schema.json";
  if (std::filesystem::exists(schema)) pages[kSchemaPage] = extract_schema(text_of_file(schema));
  return pages;
}

std::vector<Difference> compare_pages(const Pages& before, const Pages& after) {
  Pages earlier = before;
  Pages later = after;
  if (!later.contains(kSchemaPage)) earlier.erase(kSchemaPage);
  if (!earlier.contains(kSchemaPage)) later.erase(kSchemaPage);
  Pairs pairs(missing_from(later, earlier), missing_from(earlier, later));
  pairs.pair(Kind::kMoved, 1, is_same_text);
  pairs.pair(Kind::kChanged, kAlike, alike_on_page);
  std::vector<Difference> all = pairs.take();
  std::stable_sort(all.begin(), all.end(), [](const Difference& a, const Difference& b) {
    const Stated& first = place_of(a);
    const Stated& second = place_of(b);
    return std::pair(first.page, first.sentence.line) <
           std::pair(second.page, second.sentence.line);
  });
  return all;
}

std::string to_text(const std::vector<Difference>& differences, const Accounts& accounts) {
  std::map<Kind, std::size_t> counts;
  std::string text;
  for (const Difference& each : differences) {
    ++counts[each.kind];
    text += paragraph(each, accounts);
  }
  return text + fmt::format("{} added, {} changed, {} moved, {} removed\n", counts[Kind::kAdded],
                            counts[Kind::kChanged], counts[Kind::kMoved], counts[Kind::kRemoved]);
}

}  // namespace assay::catalogue
