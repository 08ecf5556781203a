// Every type and every method of the protocol, each written once for all revisions.
//
// The tables are in tables_*.cc, a file per topic of the specification. To add a revision, or a
// field, edit them and nothing else (README.md shows how).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/type.h"

namespace assay::model {

enum class Sender : std::uint8_t { kClient, kServer, kEither };

// A method and what belongs to it.
struct Method {
  std::string name;  // "tools/call"
  Sender sender = Sender::kClient;
  std::string type;        // of the request or notification: "CallToolRequest"
  bool is_request = true;  // otherwise a notification
  Type result = {};        // what answers a request
  RevisionSet revisions = {};
  // The member of its params that the HTTP header Mcp-Name repeats; empty if none is.
  std::string header_name = {};

  Method since(Revision first) &&;
  Method until(Revision last) &&;
  Method only(Revision one) &&;
  Method named_by(std::string member) &&;
};

// An error code whose error response has a type of its own.
struct ErrorType {
  std::int64_t code = 0;
  std::string type;  // of the whole response
  RevisionSet revisions;
};

using Types = std::vector<Type>;

// All definitions; names are unique.
const Types& all_types();
const std::vector<Method>& all_methods();
const std::vector<ErrorType>& all_error_types();

}  // namespace assay::model
