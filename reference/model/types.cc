#include "reference/model/types.h"

#include <iterator>

#include "reference/model/tables.h"

namespace assay::model {
namespace {

Types collect() {
  using Table = Types (*)();
  constexpr Table kTables[] = {
      base_types,        jsonrpc_types,  lifecycle_types,    tool_types,
      resource_types,    prompt_types,   content_types,      sampling_types,
      elicitation_types, roots_types,    completion_types,   logging_types,
      progress_types,    task_types,     subscription_types, multi_round_trip_types,
      error_types,       message_unions,
  };
  std::vector<Types> parts;
  for (const Table table : kTables) parts.push_back(table());
  return joined(std::move(parts));
}

Fields with_method(Fields fields, std::string method) {
  fields.push_back(required("method", constant(std::move(method))));
  return fields;
}

}  // namespace

Method Method::since(Revision first) && {
  revisions = revisions & RevisionSet::since(first);
  return std::move(*this);
}

Method Method::until(Revision last) && {
  revisions = revisions & RevisionSet::until(last);
  return std::move(*this);
}

Method Method::only(Revision one) && {
  revisions = revisions & RevisionSet::only(one);
  return std::move(*this);
}

Method Method::named_by(std::string member) && {
  header_name = std::move(member);
  return std::move(*this);
}

const Types& all_types() {
  static const Types kAll = collect();
  return kAll;
}

Type request(std::string name, std::string method, Fields fields) {
  fields.push_back(required("jsonrpc", constant("2.0")).since(v2025_11_25));
  fields.push_back(required("id", ref("RequestId")).since(v2025_11_25));
  return object(std::move(name), with_method(std::move(fields), std::move(method)));
}

Type server_request(std::string name, std::string method, Fields fields) {
  fields.push_back(required("jsonrpc", constant("2.0")).only(v2025_11_25));
  fields.push_back(required("id", ref("RequestId")).only(v2025_11_25));
  return object(std::move(name), with_method(std::move(fields), std::move(method)));
}

Type notification(std::string name, std::string method, Fields fields) {
  fields.push_back(required("jsonrpc", constant("2.0")).since(v2025_11_25));
  return object(std::move(name), with_method(std::move(fields), std::move(method)));
}

Type result_response(std::string name, Type result) {
  return object(std::move(name), {required("result", std::move(result))})
      .extends("JSONRPCResultResponse")
      .since(v2026_07_28);
}

Type or_input_required(Type result) {
  return one_of({std::move(result), ref("InputRequiredResult"), ref("Result")})
      .selected_by("resultType", {"complete", "input_required"});
}

Type or_any_input_required(Type result) {
  return one_of({std::move(result), object({
                                               optional("inputRequests", ref("InputRequests")),
                                               optional("requestState", string()),
                                           })
                                        .extends("Result")});
}

Types joined(std::vector<Types> parts) {
  Types all;
  for (Types& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

Fields plain_params() {
  return {optional("params", ref("RequestParams")).until(v2025_11_25),
          required("params", ref("RequestParams")).since(v2026_07_28)};
}

Fields page_params() {
  return {optional("params", ref("PaginatedRequestParams")).until(v2025_11_25),
          required("params", ref("PaginatedRequestParams")).since(v2026_07_28)};
}

}  // namespace assay::model
