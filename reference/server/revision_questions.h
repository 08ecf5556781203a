// Questions to a revision as plain functions, for the tables whose entries hold in some revisions
// only.
#pragma once

#include "reference/model/revision.h"

namespace assay::server {

inline bool has_tasks(model::Revision revision) {
  return revision.has_core_tasks();
}
inline bool has_streamable_http(model::Revision revision) {
  return revision.has_streamable_http();
}
inline bool has_completions(model::Revision revision) {
  return revision.has_completions_capability();
}
// The server may send requests of its own; later it asks in its results.
inline bool has_server_requests(model::Revision revision) {
  return revision.has_handshake();
}
inline bool has_url_elicitation(model::Revision revision) {
  return has_server_requests(revision) && revision.has_url_elicitation();
}
inline bool is_stateless(model::Revision revision) {
  return !revision.has_handshake();
}
inline bool has_authorization(model::Revision revision) {
  return revision.has_authorization();
}
inline bool has_protected_sessions(model::Revision revision) {
  return revision.has_authorization() && revision.has_handshake();
}
inline bool has_protected_batches(model::Revision revision) {
  return revision.has_authorization() && revision.has_batching();
}
inline bool has_resource_metadata(model::Revision revision) {
  return revision.has_resource_metadata();
}
inline bool has_input_required(model::Revision revision) {
  return !has_server_requests(revision);
}

}  // namespace assay::server
