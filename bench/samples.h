// The messages that every table measures, from the shortest to one of 10 MB.
#pragma once

#include <array>
#include <string>
#include <utility>

namespace assay::bench {

std::string ping();                // a request of 40 bytes
std::string tools_call();          // a request of about 300 bytes, with escapes
std::string result_of_1_kib();     // a tool's result
std::string list_of_1000_tools();  // about 250 KB of small values
std::string resource_of_10_mb();   // one long string

using Input = std::string (*)();

// With the names that --benchmark_filter takes.
inline constexpr std::array<std::pair<const char*, Input>, 5> kInputs = {{
    {"ping", ping},
    {"tools_call", tools_call},
    {"result_1k", result_of_1_kib},
    {"tools_1000", list_of_1000_tools},
    {"resource_10mb", resource_of_10_mb},
}};

}  // namespace assay::bench
