// Asks an authorization server, one exchange at a time, and keeps what passes, without credentials.
//
// Nothing is followed, and nobody is asked whom the user has not named.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/transcript/credential_mask.h"
#include "harness/transcript/transcript.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/form.h"
#include "reference/wire/json.h"

namespace assay::harness {

// What came of one exchange.
struct AuthorityAnswer {
  int status = 0;  // 0: no answer came
  transport::Headers headers;
  std::string body;
  Json json;                     // of a body that is a JSON object; null otherwise
  std::string trouble;           // why no answer came
  std::vector<EventPtr> events;  // what a finding shows as evidence

  bool is_success() const { return status / 100 == 2; }
  // It was understood, and not granted: neither a failure of the server's, nor a limit of rate.
  bool is_refusal() const { return status / 100 == 4 && status != 429 && status != 408; }
  // Where a redirect leads, as it stands there; empty for anything else.
  std::string location() const;
  std::string describe() const;  // "HTTP 400 (invalid_grant)", "silence"
};

struct InquirerOptions {
  std::vector<std::string> origins;  // that may be asked: "https://auth.example.com"
  std::chrono::milliseconds patience{5000};
  std::shared_ptr<reports::Vault> vault;
  std::stop_token stop;  // then asking throws Abandoned
};

// Thread safety: one thread asks; the transcript may be told by others.
class Inquirer {
 public:
  // Lanes from here on are those of listeners that share the transcript.
  static constexpr std::uint64_t kLanes = 1'000'000;

  explicit Inquirer(const InquirerOptions& options);

  bool may_ask(std::string_view url) const;
  AuthorityAnswer get(const std::string& url, const std::string& accept,
                      transport::Headers headers = {});
  AuthorityAnswer post_form(const std::string& url, const wire::Form& form,
                            transport::Headers headers = {});
  AuthorityAnswer post_json(const std::string& url, const Json& json);

  Transcript& transcript() { return transcript_; }
  const std::shared_ptr<reports::Vault>& vault() const { return options_.vault; }

 private:
  AuthorityAnswer ask(const std::string& url, transport::HttpMessage message);

  const InquirerOptions& options_;
  Transcript transcript_;
  CredentialMask mask_;
  std::uint64_t lane_ = 0;
};

}  // namespace assay::harness
