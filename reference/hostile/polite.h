// What a small, sound server of revision 2025-11-25 answers: most hostile peers begin like one.
//
// Specification: basic/lifecycle, basic/utilities/ping, server/tools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::hostile {

inline constexpr std::string_view kRevision = "2025-11-25";
// It has one tool, which only reads and needs no arguments.
inline constexpr std::string_view kTools =
    R"({"tools":[{"name":"look","description":"Looks","inputSchema":{"type":"object"},)"
    R"("annotations":{"readOnlyHint":true}}]})";

// The text of the answer to what a client said; empty where none is due.
std::string polite_answer(const wire::Decoded& said);

// The text of a response to `request`, whose result is this JSON text. The text is not looked at:
// it may be as bad as it likes.
std::string result_text(const wire::Message& request, std::string_view result);
// The same, cut where the result has to stand: what follows it is "}".
std::string result_head(const wire::Message& request);
// An error as a response to `request`.
std::string error_text(const wire::Message& request, std::int64_t code, std::string_view message);

// The result of `initialize`, naming this version.
std::string initialize_result(std::string_view version = kRevision);
// Whether the request asks for the first page of a list: no other has ever been given out.
bool is_first_page(const wire::Message& request);
// A notification without params.
std::string notification(std::string_view method);

// A member of an object that is text; empty if there is none.
std::string text_member(const Json& object, std::string_view name);
bool is_request(const wire::Message& message, std::string_view method);

}  // namespace assay::hostile
