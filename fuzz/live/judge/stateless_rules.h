// Where success is wrong in the revisions without a handshake: `_meta` that lacks what it must
// have, questions that the client cannot answer, notifications that nobody asked for, and headers
// that say something else than the body.
#pragma once

#include <optional>
#include <string_view>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/transport/observer.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// What is wrong with answering `request` with this result; nothing if nothing is, or if it is not
// certain. The case number is left to the caller, as in all of these.
std::optional<Suspicion> wrong_stateless_success(const Vocabulary& words,
                                                 const wire::Message& request,
                                                 const wire::Message& result);

// The subscription that a notification says it belongs to.
std::optional<wire::Id> subscription_of(const Json& params);
// What is wrong with sending that notification to the subscription that `listen` opened.
std::optional<Suspicion> wrong_notification(const wire::Message& listen,
                                            const wire::Message& notification);

// What is wrong with a status of 2xx for a POST of `body` in which these fields stood in the place
// of what the body says; an empty value was left out.
std::optional<Suspicion> wrong_field_success(const Vocabulary& words,
                                             const transport::Headers& fields,
                                             std::string_view body);

}  // namespace assay::fuzz
