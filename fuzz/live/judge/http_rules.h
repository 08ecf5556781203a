// What cases over HTTP are made of, and where success over HTTP is wrong.
//
// Specification: basic/transports, "Streamable HTTP".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/transport/http_url.h"

namespace assay::fuzz {

// Values that no server may accept.
inline constexpr std::string_view kEvilOrigin = "http://assay-evil.invalid";
inline constexpr std::string_view kNoVersion = "1999-01-01";
inline constexpr std::string_view kNoSession = "assay-no-such-session";

// A text that only this session ever sends: the other one must not see it.
std::string_view session_mark(int session);

// The bytes of a raw request with "@HOST@", "@PATH@" and "@SESSION@" filled in.
std::string with_places(std::string text, const transport::HttpUrl& url,
                        const std::string& session);

// What is wrong with a status of 2xx for this step. `has_session`: the server names its sessions;
// `has_ended`: this one was ended by DELETE before. `body` is the message that was
// answered with a result; empty if none was.
std::optional<Suspicion> wrong_http_success(const Vocabulary& words, const Step& step,
                                            const transport::HttpUrl& url, bool has_session,
                                            bool has_ended, std::string_view body);

}  // namespace assay::fuzz
