// The members by which a file says how a server is reached, and slips in their names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay::cli {

// A member of the server that is ignored though somebody meant something by it, and what to write.
struct OddMember {
  std::string name;  // as it came
  std::string why;
};

// The first of them. A project's file knows no other members than ours; files of clients do, so
// that there only what looks like a slip is odd.
std::optional<OddMember> odd_member(const nlohmann::ordered_json& server, bool is_of_project);

}  // namespace assay::cli
