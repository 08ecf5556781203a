#include "harness/catalogue/accounting.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace assay::catalogue {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
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
      problem(place.page, fmt::format("{} names #{}, which is no heading", id, place.anchor));
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
      problem(place.page, fmt::format("{} names #{}, but none of its sentences stands there", id,
                                      place.anchor));
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

Accounts read_accounts(const std::filesystem::path& file, std::vector<std::string>& problems) {
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
    std::istringstream words(ids);
    for (std::string id; words >> id;) {
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    }
  }
  return accounts;
}

bool write_accounts(const std::filesystem::path& file, const Accounts& accounts) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const auto& [key, ids] : accounts) {
    if (!ids.empty())
      out << fmt::format("{}\t{}\t{}\n", key.first, key.second, fmt::join(ids, " "));
  }
  return static_cast<bool>(out.flush());
}

Audit audit(model::Revision revision, const Pages& pages, const Accounts& accounts,
            const std::vector<RequirementData>& requirements) {
  return Auditor(revision, pages, accounts, requirements).run();
}

}  // namespace assay::catalogue
