// What stands in the file of `mcp-assay interop`, member by member. Each of these throws UsageError
// with one sentence that names the file, the place (an entry and its member) and what is wrong.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/project/server_list.h"

namespace assay::cli {

// A text of the file, on one line that a message has room for.
std::string in_short(std::string_view text);

class InteropMembers {
 public:
  // The file outlives this.
  explicit InteropMembers(const ListFile& file) : file_(file) {}

 protected:
  using OrderedJson = nlohmann::ordered_json;

  [[noreturn]] void fail(const std::string& place, std::string_view what) const;
  void check_members(const OrderedJson& object, const std::string& place,
                     const std::vector<std::string>& known) const;
  // One or several: a list of one where it is none.
  static OrderedJson several(const OrderedJson& json);
  // One text or several, none of them empty.
  std::vector<std::string> texts(const OrderedJson& json, const std::string& place) const;
  std::string text(const OrderedJson& object, const char* member, const std::string& place) const;
  bool truth(const OrderedJson& json, const std::string& place) const;
  // One of these words or several; none if there is no such member.
  std::vector<std::string> names_of(const OrderedJson& root, const char* member,
                                    const std::vector<std::string>& known) const;

  const ListFile& file_;
};

}  // namespace assay::cli
