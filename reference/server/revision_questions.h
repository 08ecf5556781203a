// Questions to a revision as plain functions, for the tables whose entries hold in some revisions
// only.
#pragma once

#include "reference/model/revision.h"

namespace assay::server {

inline bool has_tasks(model::Revision revision) {
  return revision.has_core_tasks();
}
inline bool has_completions(model::Revision revision) {
  return revision.has_completions_capability();
}
inline bool has_url_elicitation(model::Revision revision) {
  return revision.has_url_elicitation();
}

}  // namespace assay::server
