// Helps to complete the accounting. Built, not shipped; ci/catalogue runs it.
//
//   missing [REVISION|all] [PAGE]  sentences without a requirement, and candidates for each
//   list REVISION|all PAGE         every sentence of a page, with what stands for it
//                                  (an extension goes by its name, in place of a revision)
//   where FINGERPRINT...           all the places where a sentence stands
//   assign [FILE]                  reads lines "FINGERPRINT ID...": the ids stand for the sentence
//   in
//                                  every revision and page that they name ("-ID" takes one back)
//   prune                          drops lines whose sentence or requirement is gone
//   check                          what the test checks; status 1 if anything is wrong
//   --compare FOLDER [REVISION]    what the pages of FOLDER say otherwise than those of the newest
//                                  revision, or of that one; status 1 if anything differs
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/catalogue/accounting.h"
#include "harness/catalogue/comparison.h"

namespace assay::catalogue {
namespace {

const RequirementData* find_entry(const CatalogueData& data, const std::string& id) {
  for (const RequirementData& entry : data.requirements) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

std::string level_names(const std::vector<reports::Level>& levels) {
  std::string out;
  for (const reports::Level level : levels) {
    if (!out.empty()) out += ',';
    out += reports::name(level);
  }
  return out;
}

// Requirements that name the sentence's page and heading in this revision with one of its levels.
std::vector<std::string> candidates(const CatalogueData& data, model::Revision revision,
                                    const std::string& page, const Sentence& sentence) {
  std::vector<std::string> out;
  for (const RequirementData& entry : data.requirements) {
    const auto found = entry.in.find(revision);
    if (found == entry.in.end()) continue;
    const HoldingData& holding = found->second;
    const auto& levels = sentence.levels;
    if (std::find(levels.begin(), levels.end(), holding.level) == levels.end()) continue;
    std::vector<Place> places = holding.also;
    places.push_back(holding.at);
    if (std::any_of(places.begin(), places.end(), [&](const Place& place) {
          return place.page == page && place.anchor == sentence.anchor;
        })) {
      out.push_back(entry.id);
    }
  }
  return out;
}

void print(const CatalogueData& data, const Book& book, const std::string& page,
           const Sentence& sentence) {
  fmt::print("{} {}#{} line {} [{}] {}\n    {}\n", book.label(), page, sentence.anchor,
             sentence.line, level_names(sentence.levels), sentence.fingerprint, sentence.text);
  const auto account = book.accounts.find({page, sentence.fingerprint});
  if (account != book.accounts.end()) {
    fmt::print("    = {}\n", fmt::join(account->second, " "));
    return;
  }
  for (const std::string& id : candidates(data, book.revision, page, sentence)) {
    fmt::print("    ? {}  {}\n", id, find_entry(data, id)->summary);
  }
}

// Sentences on the page, or on all; a text that stands in many places is printed once.
void list(const CatalogueData& data, const std::vector<Book>& books, const std::string& revision,
          const std::string& page_name, bool only_missing) {
  std::set<std::string> printed;
  for (auto book = books.rbegin(); book != books.rend(); ++book) {
    if (revision != "all" && revision != book->label()) continue;
    for (const auto& [page, content] : book->pages) {
      if (!page_name.empty() && page != page_name) continue;
      for (const Sentence& sentence : content.sentences) {
        const bool is_accounted = book->accounts.contains({page, sentence.fingerprint});
        if (only_missing && is_accounted) continue;
        if (printed.insert(sentence.fingerprint).second) print(data, *book, page, sentence);
      }
    }
  }
}

void where(const std::vector<Book>& books, const std::vector<std::string>& fingerprints) {
  for (const Book& book : books) {
    for (const auto& [page, content] : book.pages) {
      for (const Sentence& sentence : content.sentences) {
        if (std::find(fingerprints.begin(), fingerprints.end(), sentence.fingerprint) ==
            fingerprints.end()) {
          continue;
        }
        const auto account = book.accounts.find({page, sentence.fingerprint});
        fmt::print(
            "{} {}: {}#{} [{}]{}{}\n", sentence.fingerprint, book.label(), page, sentence.anchor,
            level_names(sentence.levels), account == book.accounts.end() ? "" : " = ",
            account == book.accounts.end() ? ""
                                           : fmt::format("{}", fmt::join(account->second, " ")));
      }
    }
  }
}

// How many places took the id.
int assign_one(std::vector<Book>& books, const RequirementData& entry,
               const std::string& fingerprint, bool is_taken_back) {
  int count = 0;
  for (Book& book : books) {
    if (book.extension != entry.extension) continue;
    const auto holding = entry.in.find(book.revision);
    for (const auto& [page, content] : book.pages) {
      const auto& all = content.sentences;
      if (std::none_of(all.begin(), all.end(),
                       [&](const Sentence& it) { return it.fingerprint == fingerprint; })) {
        continue;
      }
      const std::pair<std::string, std::string> key{page, fingerprint};
      if (is_taken_back) {
        const auto account = book.accounts.find(key);
        if (account != book.accounts.end() && std::erase(account->second, entry.id) > 0) ++count;
        if (account != book.accounts.end() && account->second.empty()) book.accounts.erase(account);
      } else if (holding != entry.in.end() && names_page(holding->second, page)) {
        auto& ids = book.accounts[key];
        if (std::find(ids.begin(), ids.end(), entry.id) == ids.end()) ids.push_back(entry.id);
        ++count;
      }
    }
  }
  return count;
}

int assign(const CatalogueData& data, std::vector<Book>& books, std::istream& in) {
  int mistakes = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string fingerprint;
    if (!(words >> fingerprint) || fingerprint.front() == '#') continue;
    for (std::string word; words >> word;) {
      const bool is_taken_back = word.front() == '-';
      const std::string id = is_taken_back ? word.substr(1) : word;
      const RequirementData* const entry = find_entry(data, id);
      if (entry == nullptr) {
        fmt::print(stderr, "{}: no requirement {}\n", fingerprint, id);
        ++mistakes;
      } else if (assign_one(books, *entry, fingerprint, is_taken_back) == 0) {
        fmt::print(stderr, "{}: {} names no page and revision where this sentence stands\n",
                   fingerprint, id);
        ++mistakes;
      }
    }
  }
  return mistakes == 0 ? 0 : 1;
}

void prune(const CatalogueData& data, std::vector<Book>& books) {
  for (Book& book : books) {
    Accounts kept;
    for (const auto& account : book.accounts) {
      const auto& key = account.first;  // no binding: clang's lambdas cannot hold one
      const auto& ids = account.second;
      const std::string& page_name = key.first;
      const auto page = book.pages.find(page_name);
      if (page == book.pages.end()) continue;
      const auto& all = page->second.sentences;
      const auto is_it = [&](const Sentence& it) { return it.fingerprint == key.second; };
      if (std::none_of(all.begin(), all.end(), is_it)) continue;
      for (const std::string& id : ids) {
        const RequirementData* const entry = find_entry(data, id);
        if (entry == nullptr || !entry->in.contains(book.revision)) continue;
        if (entry->extension != book.extension) continue;
        if (names_page(entry->in.at(book.revision), page_name)) kept[key].push_back(id);
      }
    }
    book.accounts = std::move(kept);
  }
}

int check(const CatalogueData& data, const std::vector<Book>& books) {
  std::size_t problems = 0;
  for (const Book& book : books) {
    const Audit found =
        audit(book.revision, book.pages, book.accounts, requirements_of(book, data.requirements));
    for (const std::string& problem : found.problems) fmt::print("{}\n", problem);
    int sentences = 0;
    int accounted = 0;
    for (const PageCount& page : found.pages) {
      sentences += page.sentences;
      accounted += page.accounted;
    }
    fmt::print("{}: {} sentences, {} accounted for, {} problems\n", book.label(), sentences,
               accounted, found.problems.size());
    problems += found.problems.size();
  }
  return problems == 0 ? 0 : 1;
}

// Against the newest revision, or against the book of that label.
int compare(const std::vector<Book>& books, const std::string& folder, const std::string& label) {
  const std::string wanted =
      label.empty() ? std::string(model::Revision::all().back().text()) : label;
  const auto book = std::find_if(books.begin(), books.end(),
                                 [&](const Book& each) { return each.label() == wanted; });
  if (book == books.end() || !std::filesystem::is_directory(folder)) {
    fmt::print(stderr, "--compare needs a folder of pages, and no or a known revision\n");
    return 2;
  }
  const auto differences = compare_pages(book->pages, read_other_pages(folder));
  fmt::print("{}", to_text(differences, book->accounts));
  return differences.empty() ? 0 : 1;
}

bool write(const std::vector<Book>& books) {
  if (write_books(books)) return true;
  fmt::print(stderr, "cannot write the accounts\n");
  return false;
}

int run(const std::filesystem::path& room, const std::filesystem::path& specification,
        const std::vector<std::string>& words) {
  const auto extensions = room.parent_path().parent_path() / "reference/model/extensions";
  const CatalogueData data = read_data(room / "data", extensions);
  std::vector<std::string> problems = data.problems;
  std::vector<Book> books = read_books({room / "accounting", extensions}, specification, problems);
  for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
  if (!problems.empty()) return 1;

  const std::string& command = words.front();
  const auto word = [&](std::size_t i, const char* otherwise) {
    return i < words.size() ? words[i] : std::string(otherwise);
  };
  if (command == "missing" || command == "list") {
    list(data, books, word(1, "all"), word(2, ""), command == "missing");
    return 0;
  }
  if (command == "where") {
    where(books, words);
    return 0;
  }
  if (command == "assign") {
    std::ifstream file(word(1, ""));
    const int status = assign(data, books, words.size() > 1 ? file : std::cin);
    return write(books) ? status : 1;
  }
  if (command == "prune") {
    prune(data, books);
    return write(books) ? 0 : 1;
  }
  if (command == "check") return check(data, books);
  if (command == "--compare") return compare(books, word(1, ""), word(2, ""));
  fmt::print(stderr, "unknown command '{}'\n", command);
  return 2;
}

}  // namespace
}  // namespace assay::catalogue

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "usage: {} CATALOGUE_FOLDER SPECIFICATION_FOLDER "
               "missing|list|where|assign|prune|check|--compare ...\n",
               argv[0]);
    return 2;
  }
  return assay::catalogue::run(argv[1], argv[2], std::vector<std::string>(argv + 3, argv + argc));
}
