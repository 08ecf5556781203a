// The head of an HTTP message, as the parser has read it, on its way to observers and handlers.
#pragma once

#include "reference/transport/observer.h"
#include "reference/wire/http.h"

namespace assay::transport {

// Copies what `parser` has of a head, in the order it came in; a value that goes on over several
// lines becomes one line. The memory that `head` has is used again.
void copy_head(const wire::HttpParser& parser, HttpHead& head);

}  // namespace assay::transport
