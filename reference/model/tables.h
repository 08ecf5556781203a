// What the tables share; included by tables_*.cc, types.cc and the tables of extensions only.
#pragma once

#include <string>
#include <utility>

#include "reference/model/extension.h"
#include "reference/model/type.h"
#include "reference/model/types.h"

namespace assay::model {

inline constexpr Revision v2024_11_05 = Revision::v2024_11_05;
inline constexpr Revision v2025_03_26 = Revision::v2025_03_26;
inline constexpr Revision v2025_06_18 = Revision::v2025_06_18;
inline constexpr Revision v2025_11_25 = Revision::v2025_11_25;
inline constexpr Revision v2026_07_28 = Revision::v2026_07_28;

// A request of a client: its method, and its fields beside that. Up to 2025-06-18 the types of
// requests and notifications leave the JSON-RPC members to JSONRPCRequest and JSONRPCNotification.
Type request(std::string name, std::string method, Fields fields);
// A request of a server; since 2026-07-28 it travels inside a result, without JSON-RPC members.
Type server_request(std::string name, std::string method, Fields fields);
Type notification(std::string name, std::string method, Fields fields);
// A response with a result, where the specification names it as a type of its own.
Type result_response(std::string name, Type result);

// "params" of a request that has none of its own, and of one that lists pages.
Fields plain_params();
Fields page_params();

// The result of a request that may also be answered by asking for input (since 2026-07-28):
// resultType tells which it is, and other values belong to extensions.
Type or_input_required(Type result);
// The same as the schema writes it: any result will do that has an InputRequiredResult's members.
Type or_any_input_required(Type result);

Types joined(std::vector<Types> parts);

Types base_types();
Types jsonrpc_types();
Types lifecycle_types();
Types tool_types();
Types resource_types();
Types prompt_types();
Types content_types();
Types sampling_types();
Types elicitation_types();
Types roots_types();
Types completion_types();
Types logging_types();
Types progress_types();
Types task_types();
Types subscription_types();
Types multi_round_trip_types();
Types error_types();
Types message_unions();

}  // namespace assay::model
