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

std::string_view enumerator(reports::Level level) {
  switch (level) {
    case reports::Level::kMust:
      return "Level::kMust";
    case reports::Level::kMustNot:
      return "Level::kMustNot";
    case reports::Level::kShould:
      return "Level::kShould";
    case reports::Level::kShouldNot:
      return "Level::kShouldNot";
    case reports::Level::kMay:
      return "Level::kMay";
  }
  return "";
}

// The enumerators stand in the order of the words.
template <typename Words>
std::string enumerator(const char* type, const Words& words, const std::string& word) {
  return fmt::format("{}{{{}}}", type, std::find(words.begin(), words.end(), word) - words.begin());
}

std::string tables(const CatalogueData& data, const std::string& version) {
  std::string holdings;
  std::string requirements;
  std::size_t offset = 0;
  for (const RequirementData& entry : data.requirements) {
    for (const auto& [revision, holding] : entry.in) {
      holdings += fmt::format("    {{model::Revision::Value{{{}}}, {}, {}, {}, {}, {}}},\n",
                              static_cast<int>(revision.value()), enumerator(holding.level),
                              string_literal(holding.at.page), string_literal(holding.at.anchor),
                              string_literal(holding.note),
                              enumerator("Subject", kSubjects, holding.subject));
    }
    requirements += fmt::format(
        "    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {{kHoldings + {}, {}}}, {}, {}, {}, "
        "{}, {}, {}, {}, {}}},\n",
        string_literal(entry.id), string_literal(entry.summary),
        enumerator("Subject", kSubjects, entry.subject),
        enumerator("Transport", kTransports, entry.transport), string_literal(entry.capability),
        enumerator("Observation", kObservations, entry.observe), string_literal(entry.reason),
        entry.added, entry.is_implied, offset, entry.in.size(),
        string_literal(entry.unseen_of_server), string_literal(entry.unseen_of_client),
        string_literal(entry.part_judged), string_literal(entry.unexercised),
        string_literal(entry.hint), entry.is_about_status, string_literal(entry.extension),
        string_literal(entry.needs));
    offset += entry.in.size();
  }
  return fmt::format(
      "// Written by the build from harness/catalogue/data.\n"
      "#include \"harness/catalogue/tables.h\"\n\n"
      "namespace assay::catalogue::tables {{\n"
      "namespace {{\n\n"
      "constexpr Holding kHoldings[] = {{\n{}}};\n\n"
      "constexpr Requirement kRequirements[] = {{\n{}}};\n\n"
      "}}  // namespace\n\n"
      "std::span<const Requirement> all() {{ return kRequirements; }}\n"
      "std::string_view version() {{ return {}; }}\n"
      "std::string_view digest() {{ return {}; }}\n\n"
      "}}  // namespace assay::catalogue::tables\n",
      holdings, requirements, string_literal(version), string_literal(digest(data.requirements)));
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
