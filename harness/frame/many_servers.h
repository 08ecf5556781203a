// What commands have in common that deal with several servers: a path for each, and one overview.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reports/history.h"
#include "reports/result.h"

namespace assay::cli {

// Whether a path holds "{name}".
bool is_for_each(const std::string& path);
// `path` with the name in place of "{name}". Throws UsageError where `total` of them would be
// written into one file; "-" as a path, also behind "FORMAT=", may be shared.
std::string path_for(const std::string& path, const std::string& name, std::size_t total);

// The page of all results; `pages` are the paths of their HTML reports, in the same order, or
// empty. Returns what went wrong.
std::optional<std::string> write_overview(const std::string& path,
                                          std::span<const reports::Result> results,
                                          std::span<const std::string> pages,
                                          const reports::History& history = {});

// Which one is under way, for a person who waits: "memory (2 of 5)"; empty where there is only one.
std::string place_among(const std::string& name, std::size_t number, std::size_t total);

// What stands above the text of one of several, and below all of them.
std::string heading(const reports::Target& target, bool is_first);
std::string overview_table(std::span<const reports::Result> results);
// Where the page of all of them is, as the text of each says it of its reports; empty without one,
// or where it went to standard output.
std::string overview_place(const std::string& path);

}  // namespace assay::cli
