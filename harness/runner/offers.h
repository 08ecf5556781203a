// What a server offers beyond the capabilities that it declares. A rule that needs more says so in
// the catalogue (`needs`), and does not apply to a server that does not offer it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/script/connection.h"
#include "harness/script/survey.h"

namespace assay::harness {

class Offers {
 public:
  // Nothing is known of the server, so that no rule is ruled out.
  Offers() = default;
  // `first` is a session that has begun. A list that could not be read to its end lacks nothing.
  Offers(const Survey& survey, Connection& first);

  // Why the server does not offer this; empty where it does, or may.
  std::string lack_of(std::string_view need) const;

 private:
  std::map<std::string_view, std::string> lacks_;
};

}  // namespace assay::harness
