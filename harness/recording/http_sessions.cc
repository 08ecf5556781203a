#include "harness/recording/http_sessions.h"

namespace assay::harness {

std::string HttpSessions::name_of(const SessionMarks& marks) {
  const auto& id = marks.asked ? marks.asked : marks.given;
  if (id) return marks.endpoint + "\nid " + *id;
  int& begun = without_id_[marks.endpoint];
  if (marks.is_initialize) ++begun;
  return marks.endpoint + "\nnumber " + std::to_string(begun);
}

}  // namespace assay::harness
