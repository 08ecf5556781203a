#include "harness/monitors/trace.h"

#include <algorithm>
#include <string_view>

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

using Named = std::optional<model::Revision>;

// What the whole trace says, from the surest to the least. A header field only repeats what the
// body of a request says.
struct Told {
  Named negotiated;
  Named by_message;
  Named by_header;
  Named asked;

  Named best() const {
    for (const Named& named : {negotiated, by_message, by_header, asked}) {
      if (named) return named;
    }
    return std::nullopt;
  }
};

void keep_first(Named& place, const Named& named) {
  if (!place) place = named;
}

void take_message(const Event& event, Told& told) {
  const wire::Message* message = event.message();
  if (message == nullptr) return;
  if (event.is_from_server()) {
    // No other result has this member beside the server's name.
    const bool is_handshake = message->kind() == wire::MessageKind::kResult &&
                              !member(message->result(), "serverInfo").is_null();
    if (is_handshake) {
      keep_first(told.negotiated,
                 model::Revision::parse(text_member(message->result(), "protocolVersion")));
    }
  } else if (message->method() == "initialize") {
    keep_first(told.asked,
               model::Revision::parse(text_member(message->params(), "protocolVersion")));
  } else {
    keep_first(told.by_message, revision_of(*message));
  }
}

}  // namespace

std::optional<model::Revision> revision_of(std::span<const EventPtr> events) {
  Told told;
  for (const EventPtr& event : events) {
    const transport::HttpHead* head = event->observation.http();
    if (head != nullptr && event->is_from_client()) {
      const auto named = transport::find_header(head->headers, "MCP-Protocol-Version");
      if (named) keep_first(told.by_header, model::Revision::parse(*named));
    }
    take_message(*event, told);
    if (told.negotiated) break;
  }
  return told.best();
}

std::optional<model::Revision> revision_of(const wire::Message& request) {
  const std::string_view named = text_member(member(request.params(), "_meta"), kVersionKey);
  return named.empty() ? std::nullopt : model::Revision::parse(named);
}

}  // namespace assay::harness
