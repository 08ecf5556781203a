#include "harness/catalogue/accounting.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "reference/model/extension.h"

namespace assay::catalogue {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

constexpr std::string_view kNoIds = "-";

// Those of the revision that the book's is based on; none for the first, and for an extension.
Accounts base_of(const Book& book, const std::vector<Book>& books) {
  const auto base = book.revision.based_on();
  if (!base || !book.extension.empty()) return {};
  const auto found = std::find_if(books.begin(), books.end(), [&](const Book& it) {
    return it.extension.empty() && it.revision == *base;
  });
  return found == books.end() ? Accounts{} : found->accounts;
}

bool write_changes(const std::filesystem::path& file, const Accounts& changes) {
  if (changes.empty()) {
    std::error_code none;
    std::filesystem::remove(file, none);
    return !none;
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const auto& [key, ids] : changes) {
    out << fmt::format("{}\t{}\t", key.first, key.second);
    if (ids.empty()) {
      out << kNoIds << '\n';
    } else {
      out << fmt::format("{}\n", fmt::join(ids, " "));
    }
  }
  return static_cast<bool>(out.flush());
}

// The sentences that one requirement stands for.
struct Support {
  std::vector<std::pair<std::string, const Sentence*>> sentences;  // page and sentence
};

class Auditor {
 public:
  Auditor(model::Revision revision, const Pages& pages, const Accounts& accounts,
          const std::vector<RequirementData>& requirements)
      : revision_(revision), pages_(pages), accounts_(accounts) {
    for (const RequirementData& entry : requirements) {
      ids_.insert(entry.id);
      const auto holding = entry.in.find(revision);
      if (holding == entry.in.end()) continue;
      holdings_[entry.id] = &holding->second;
      if (entry.is_implied) implied_.insert(entry.id);
    }
  }

  Audit run() {
    for (const auto& [page, content] : pages_) account_for(page, content);
    for (const auto& [key, ids] : accounts_) {
      if (!seen_.contains(key)) {
        problem(key.first, fmt::format("{} is no sentence of this page any more", key.second));
      }
    }
    for (const auto& [id, holding] : holdings_) check_holding(id, *holding);
    return std::move(audit_);
  }

 private:
  void problem(const std::string& page, const std::string& text) {
    audit_.problems.push_back(fmt::format("{} {}: {}", revision_.text(), page, text));
  }

  void account_for(const std::string& page, const ExtractedPage& content) {
    PageCount count{page, 0, 0, 0};
    std::set<std::string> entries;
    for (const Sentence& sentence : content.sentences) {
      const std::pair<std::string, std::string> key{page, sentence.fingerprint};
      const bool is_first = seen_.insert(key).second;
      const auto account = accounts_.find(key);
      const bool is_accounted = account != accounts_.end() && !account->second.empty();
      if (is_first) {
        ++count.sentences;
        count.accounted += is_accounted ? 1 : 0;
      }
      if (!is_accounted) {
        if (is_first) missing(page, sentence);
        continue;
      }
      for (const std::string& id : account->second) {
        entries.insert(id);
        if (is_first) check_id(page, sentence, id);
        support_[id].sentences.emplace_back(page, &sentence);
      }
    }
    count.entries = static_cast<int>(entries.size());
    if (count.sentences > 0) audit_.pages.push_back(count);
  }

  void missing(const std::string& page, const Sentence& sentence) {
    problem(page, fmt::format("line {}: sentence {} under '{}' has no requirement", sentence.line,
                              sentence.fingerprint, sentence.anchor));
  }

  void check_id(const std::string& page, const Sentence& sentence, const std::string& id) {
    if (!ids_.contains(id)) {
      return problem(page,
                     fmt::format("{} names {}, which does not exist", sentence.fingerprint, id));
    }
    const auto holding = holdings_.find(id);
    if (holding == holdings_.end()) {
      return problem(page, fmt::format("{} names {}, which does not hold in this revision",
                                       sentence.fingerprint, id));
    }
    if (!names_page(*holding->second, page)) {
      problem(page,
              fmt::format("{} names {}, which does not name this page", sentence.fingerprint, id));
    }
  }

  void check_holding(const std::string& id, const HoldingData& holding) {
    check_anchor(id, holding.at);
    for (const Place& place : holding.also) check_anchor(id, place);
    if (implied_.contains(id)) return;
    const auto support = support_.find(id);
    if (support == support_.end()) return problem(holding.at.page, id + " stands for no sentence");
    const auto& sentences = support->second.sentences;
    const bool has_level = std::any_of(sentences.begin(), sentences.end(), [&](const auto& it) {
      const auto& levels = it.second->levels;
      return std::find(levels.begin(), levels.end(), holding.level) != levels.end();
    });
    if (!has_level) {
      problem(holding.at.page, fmt::format("{} is a {}, but no sentence of it says so", id,
                                           reports::name(holding.level)));
    }
    check_place(id, holding.at, sentences);
    for (const Place& place : holding.also) check_place(id, place, sentences);
  }

  void check_anchor(const std::string& id, const Place& place) {
    const auto page = pages_.find(place.page);
    if (page == pages_.end())
      return problem(place.page, id + " names this page, which does not exist");
    const auto& anchors = page->second.anchors;
    if (!place.anchor.empty() &&
        std::find(anchors.begin(), anchors.end(), place.anchor) == anchors.end()) {
      problem(place.page, fmt::format("{} names #{}, which is not a heading", id, place.anchor));
    }
  }

  // One of the sentences stands at the place: under its heading, or one that encloses it.
  void check_place(const std::string& id, const Place& place,
                   const std::vector<std::pair<std::string, const Sentence*>>& sentences) {
    const bool is_there = std::any_of(sentences.begin(), sentences.end(), [&](const auto& it) {
      const auto& [page, sentence] = it;
      const auto& around = sentence->enclosing;
      return page == place.page &&
             (sentence->anchor == place.anchor ||
              std::find(around.begin(), around.end(), place.anchor) != around.end());
    });
    if (!is_there) {
      problem(place.page,
              fmt::format("{} names #{}, but none of its sentences is there", id, place.anchor));
    }
  }

  model::Revision revision_;
  const Pages& pages_;
  const Accounts& accounts_;
  std::set<std::string> ids_;
  std::set<std::string> implied_;
  std::map<std::string, const HoldingData*> holdings_;
  std::map<std::string, Support> support_;
  std::set<std::pair<std::string, std::string>> seen_;
  Audit audit_;
};

}  // namespace

bool names_page(const HoldingData& holding, const std::string& page) {
  return page == kSchemaPage || holding.at.page == page ||
         std::any_of(holding.also.begin(), holding.also.end(),
                     [&](const Place& place) { return place.page == page; });
}

Pages read_pages(const std::filesystem::path& revision_folder) {
  Pages pages;
  const std::filesystem::path root = revision_folder / "pages";
  for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
    if (item.path().extension() != ".mdx") continue;
    std::filesystem::path name = item.path().lexically_relative(root);
    pages[name.replace_extension().generic_string()] = extract_page(read_file(item.path()));
  }
  pages[kSchemaPage] = extract_schema(read_file(revision_folder / "schema.json"));
  return pages;
}

std::filesystem::path folder_of(const model::Extension& extension,
                                const std::filesystem::path& specification) {
  const bool is_own = extension.folder.empty();
  return specification / "extensions" / (is_own ? extension.name : extension.folder);
}

bool is_at_hand(const model::Extension& extension, const std::filesystem::path& specification) {
  const std::filesystem::path folder = folder_of(extension, specification);
  return std::filesystem::exists(
      extension.folder.empty() ? folder : folder / (extension.page_name() + ".mdx"));
}

Pages read_extension_pages(const std::filesystem::path& extension_folder) {
  Pages pages;
  for (const auto& item : std::filesystem::directory_iterator(extension_folder)) {
    const std::filesystem::path ending = item.path().extension();
    if (ending != ".md" && ending != ".mdx") continue;
    pages[item.path().stem().string()] = extract_page(read_file(item.path()));
  }
  return pages;
}

Accounts read_changes(const std::filesystem::path& file, std::vector<std::string>& problems) {
  Accounts accounts;
  std::istringstream in(read_file(file));
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string page;
    std::string fingerprint;
    std::string ids;
    if (!std::getline(fields, page, '\t') || !std::getline(fields, fingerprint, '\t') ||
        !std::getline(fields, ids)) {
      problems.push_back(
          fmt::format("{}: no page, fingerprint and ids: {}", file.filename().string(), line));
      continue;
    }
    auto& list = accounts[{page, fingerprint}];
    if (ids == kNoIds) continue;
    std::istringstream words(ids);
    for (std::string id; words >> id;) {
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    }
  }
  return accounts;
}

Accounts inherited(const Accounts& base, const Pages& pages) {
  Accounts accounts;
  for (const auto& [name, page] : pages) {
    for (const Sentence& sentence : page.sentences) {
      const auto account = base.find({name, sentence.fingerprint});
      if (account != base.end()) accounts.insert(*account);
    }
  }
  return accounts;
}

Accounts changed(Accounts accounts, const Accounts& changes) {
  for (const auto& [key, ids] : changes) {
    if (ids.empty()) {
      accounts.erase(key);
    } else {
      accounts[key] = ids;
    }
  }
  return accounts;
}

Accounts changes_between(const Accounts& inherited, const Accounts& accounts) {
  Accounts changes;
  for (const auto& [key, ids] : accounts) {
    const auto before = inherited.find(key);
    if (before == inherited.end() || before->second != ids) changes[key] = ids;
  }
  for (const auto& [key, ids] : inherited) {
    if (!accounts.contains(key)) changes[key] = {};
  }
  return changes;
}

std::vector<Book> read_books(const AccountFolders& folders,
                             const std::filesystem::path& specification,
                             std::vector<std::string>& problems) {
  std::vector<Book> books;
  const auto add = [&](Book book, const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) {
      problems.push_back(fmt::format("{}: no pages in {}", book.label(), folder.string()));
      return;
    }
    book.pages = book.extension.empty() ? read_pages(folder) : read_extension_pages(folder);
    // Of a folder that extensions share each has one page.
    const model::Extension* const extension = model::find_extension(book.extension);
    if (extension != nullptr && !extension->folder.empty()) {
      std::erase_if(book.pages,
                    [&](const auto& page) { return page.first != extension->page_name(); });
    }
    const Accounts changes = read_changes(book.file, problems);
    const Accounts before = inherited(base_of(book, books), book.pages);
    book.accounts = changed(before, changes);
    const Accounts needed = changes_between(before, book.accounts);
    for (const auto& [key, ids] : changes) {
      if (needed.contains(key)) continue;
      problems.push_back(fmt::format("{}: {} {} says what holds anyway: leave the line out",
                                     book.label(), key.first, key.second));
    }
    books.push_back(std::move(book));
  };
  for (const model::Revision revision : model::Revision::all()) {
    const auto file = folders.revisions / (std::string(revision.text()) + ".tsv");
    add({revision, "", file, {}, {}}, specification / revision.text());
  }
  for (const model::Extension& extension : model::extensions()) {
    const auto file = folders.extensions / extension.name / "accounting.tsv";
    // Extensions are published apart from the specification, and need not all be at hand.
    if (is_at_hand(extension, specification)) {
      add({extension.base, extension.name, file, {}, {}}, folder_of(extension, specification));
    }
  }
  return books;
}

std::vector<RequirementData> requirements_of(const Book& book,
                                             const std::vector<RequirementData>& all) {
  std::vector<RequirementData> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const RequirementData& it) { return it.extension == book.extension; });
  return found;
}

bool write_books(const std::vector<Book>& books) {
  return std::all_of(books.begin(), books.end(), [&](const Book& book) {
    const Accounts before = inherited(base_of(book, books), book.pages);
    return write_changes(book.file, changes_between(before, book.accounts));
  });
}

Audit audit(model::Revision revision, const Pages& pages, const Accounts& accounts,
            const std::vector<RequirementData>& requirements) {
  return Auditor(revision, pages, accounts, requirements).run();
}

}  // namespace assay::catalogue
