// The accounting: which requirements of the catalogue stand for which sentence of the
// specification.
//
// accounting/<revision>.tsv holds a line for a normative sentence: page, fingerprint, ids. What the
// revision that it is based on says of a sentence holds on while the sentence stands on its page,
// so that a file has only what is new or different, and a revision that changes nothing needs none.
// No text of the specification is kept. `audit` compares that with the pages themselves, so that a
// sentence that nobody catalogued, or a requirement that nothing in the text supports, is seen.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/data_reader.h"
#include "harness/catalogue/extractor.h"
#include "reference/model/extension.h"
#include "reference/model/revision.h"

namespace assay::catalogue {

// The page that schema.json counts as.
inline constexpr const char* kSchemaPage = "schema";

// Every page of one revision, by its path without ".mdx", and the schema.
using Pages = std::map<std::string, ExtractedPage>;
Pages read_pages(const std::filesystem::path& revision_folder);
// The pages of an extension. Its schema repeats the types of the revision that it extends.
Pages read_extension_pages(const std::filesystem::path& extension_folder);
// Where these are, and whether they are there.
std::filesystem::path folder_of(const model::Extension& extension,
                                const std::filesystem::path& specification);
bool is_at_hand(const model::Extension& extension, const std::filesystem::path& specification);

// {page, fingerprint} -> ids.
using Accounts = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

// What one file says. No ids, written "-": nothing stands for the sentence any more. Nothing if
// there is no file.
Accounts read_changes(const std::filesystem::path& file, std::vector<std::string>& problems);
// Of the accounts of the revision that one is based on, those whose sentences stand on its pages.
Accounts inherited(const Accounts& base, const Pages& pages);
Accounts changed(Accounts accounts, const Accounts& changes);
// The fewest changes that lead from what is inherited to `accounts`.
Accounts changes_between(const Accounts& inherited, const Accounts& accounts);

// What stands in one revision, or in an extension of it, and what accounts for it.
struct Book {
  model::Revision revision;
  std::string extension;       // by name; empty for the core protocol
  std::filesystem::path file;  // of the accounts
  Pages pages;
  Accounts accounts;

  // "2025-11-25"; of an extension its name.
  std::string label() const { return extension.empty() ? std::string(revision.text()) : extension; }
};
// Where the accounts are: a file for each revision, and one in the folder of each extension.
struct AccountFolders {
  std::filesystem::path revisions;
  std::filesystem::path extensions;
};
// Of every revision, oldest first, and of every extension.
std::vector<Book> read_books(const AccountFolders& folders,
                             const std::filesystem::path& specification,
                             std::vector<std::string>& problems);
// Writes the files that read_books() reads; one that would hold nothing is removed.
bool write_books(const std::vector<Book>& books);
// Those that the book has to account for.
std::vector<RequirementData> requirements_of(const Book& book,
                                             const std::vector<RequirementData>& all);

struct PageCount {
  std::string page;
  int sentences = 0;  // distinct ones
  int accounted = 0;  // of them
  int entries = 0;    // requirements that stand for them
};

struct Audit {
  std::vector<PageCount> pages;
  std::vector<std::string> problems;  // one line each, without the specification's text
};

// Everything that is wrong with one revision: sentences without a requirement, fingerprints that no
// page has, ids that do not exist, do not hold in the revision or do not name the page, levels that
// none of an entry's sentences has, anchors that are no heading or do not lead to one of its
// sentences, and requirements that no sentence supports.
Audit audit(model::Revision revision, const Pages& pages, const Accounts& accounts,
            const std::vector<RequirementData>& requirements);

// Whether the requirement says that it stands on the page (any page, for the schema's sentences).
bool names_page(const HoldingData& holding, const std::string& page);

}  // namespace assay::catalogue
