// Turns data/*.yaml into catalogue_tables.cc and catalogue_ids.h while the project is built.
//
//   assay_catalogue_generator DATA_FOLDER EXTENSIONS_FOLDER VERSION_FILE TABLES_CC IDS_H
//
// Data that are wrong end the build with one line for each mistake.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/catalogue/data_reader.h"
#include "harness/catalogue/vocabulary.h"

namespace assay::catalogue {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Leaves an unchanged file alone, so that nothing is built again because of it.
bool write_if_changed(const std::filesystem::path& path, const std::string& text) {
  if (std::filesystem::exists(path) && read_file(path) == text) return true;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  return static_cast<bool>(out.flush());
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

// All texts, each once, in the order in which they are first asked for.
class Texts {
 public:
  std::size_t place_of(const std::string& text) {
    const auto [found, is_new] = places_.try_emplace(text, size_);
    if (is_new) {
      size_ += text.size() + 1;
      literals_ += fmt::format("    {} \"\\0\"\n", string_literal(text));
    }
    return found->second;
  }
  const std::string& literals() const { return literals_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::size_t size_ = 0;
  std::string literals_;
};

// The enumerators stand in the order of the words.
template <typename Words>
std::ptrdiff_t index_of(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

std::string packed_holdings(const RequirementData& entry, Texts& texts) {
  std::string out;
  for (const auto& [revision, holding] : entry.in) {
    out += fmt::format("    {{{}, {}, {}, {}, {}, {}}},\n", texts.place_of(holding.at.page),
                       texts.place_of(holding.at.anchor), texts.place_of(holding.note),
                       static_cast<int>(revision.value()), static_cast<int>(holding.level),
                       index_of(kSubjects, holding.subject));
  }
  return out;
}

std::string packed_requirement(const RequirementData& entry, Texts& texts) {
  std::string places;
  for (const std::string* text :
       {&entry.id, &entry.summary, &entry.capability, &entry.reason, &entry.unseen_of_server,
        &entry.unseen_of_client, &entry.part_judged, &entry.unexercised, &entry.hint,
        &entry.extension, &entry.needs}) {
    places += fmt::format("{}, ", texts.place_of(*text));
  }
  return fmt::format("    {{{}{}, {}, {}, {}, {}, {}, {}}},\n", places, entry.added,
                     index_of(kSubjects, entry.subject), index_of(kTransports, entry.transport),
                     index_of(kObservations, entry.observe), entry.in.size(), entry.is_implied,
                     entry.is_about_status);
}

std::string tables(const CatalogueData& data, const std::string& version) {
  Texts texts;
  std::string holdings;
  std::string requirements;
  for (const RequirementData& entry : data.requirements) {
    holdings += packed_holdings(entry, texts);
    requirements += packed_requirement(entry, texts);
  }
  return fmt::format(
      "// Written by the build from harness/catalogue/data.\n"
      "#include \"harness/catalogue/tables.h\"\n\n"
      "namespace assay::catalogue::tables {{\n"
      "namespace {{\n\n"
      "constexpr char kTexts[] =\n{};\n\n"
      "constexpr PackedHolding kHoldings[] = {{\n{}}};\n\n"
      "constexpr PackedRequirement kRequirements[] = {{\n{}}};\n\n"
      "}}  // namespace\n\n"
      "std::string_view texts() {{ return {{kTexts, sizeof kTexts}}; }}\n"
      "std::span<const PackedHolding> holdings() {{ return kHoldings; }}\n"
      "std::span<const PackedRequirement> requirements() {{ return kRequirements; }}\n"
      "std::string_view version() {{ return {}; }}\n"
      "std::string_view digest() {{ return {}; }}\n\n"
      "}}  // namespace assay::catalogue::tables\n",
      texts.literals(), holdings, requirements, string_literal(version),
      string_literal(digest(data.requirements)));
}

std::string ids(const CatalogueData& data) {
  std::string list;
  for (const RequirementData& entry : data.requirements) {
    list += fmt::format("    {},\n", string_literal(entry.id));
  }
  return fmt::format(
      "// Written by the build from harness/catalogue/data: every id, sorted.\n"
      "#pragma once\n\n"
      "#include <array>\n"
      "#include <string_view>\n\n"
      "namespace assay::catalogue {{\n\n"
      "inline constexpr std::array<std::string_view, {}> kRequirementIds = {{\n{}}};\n\n"
      "}}  // namespace assay::catalogue\n",
      data.requirements.size(), list);
}

int generate(const std::filesystem::path& folder, const std::filesystem::path& extensions,
             const std::filesystem::path& version_file, const std::filesystem::path& tables_file,
             const std::filesystem::path& ids_file) {
  const CatalogueData data = read_data(folder, extensions);
  for (const std::string& problem : data.problems) {
    fmt::print(stderr, "error: harness/catalogue/data/{}\n", problem);
  }
  if (!data.problems.empty()) return 1;
  if (data.requirements.empty()) {
    fmt::print(stderr, "error: {} holds no requirement\n", folder.string());
    return 1;
  }
  std::string version = read_file(version_file);
  while (!version.empty() && version.back() == '\n') version.pop_back();
  if (version.empty()) {
    fmt::print(stderr, "error: {} holds no version\n", version_file.string());
    return 1;
  }
  for (const RequirementData& entry : data.requirements) {
    if (entry.added <= std::atoi(version.c_str())) continue;
    fmt::print(stderr, "error: {} was added in version {}, but VERSION says {}\n", entry.id,
               entry.added, version);
    return 1;
  }
  if (!write_if_changed(tables_file, tables(data, version)) ||
      !write_if_changed(ids_file, ids(data))) {
    fmt::print(stderr, "error: cannot write {} or {}\n", tables_file.string(), ids_file.string());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace assay::catalogue

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: {} DATA_FOLDER EXTENSIONS_FOLDER VERSION_FILE TABLES_CC IDS_H\n",
               argv[0]);
    return 2;
  }
  return assay::catalogue::generate(argv[1], argv[2], argv[3], argv[4], argv[5]);
}
