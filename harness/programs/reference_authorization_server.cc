// mcp-assay reference-authorization-server: a conformant one, and with --fault one that is not.
#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/interrupt.h"
#include "reference/authorization/fault.h"
#include "reference/authorization/hosted.h"
#include "reference/authorization/jws.h"

namespace assay::cli {
namespace {

class ReferenceAuthorizationServerCommand : public Command {
 public:
  std::string_view name() const override { return "reference-authorization-server"; }
  std::string_view summary() const override {
    return "Run the reference authorization server, correct or with chosen faults";
  }

  void declare(Arguments& arguments) override {
    arguments.number("--port", port_, 0, 65535, "N",
                     "The port (default: 0, which picks a free one)");
    arguments.flag("--consent", asks_for_consent_,
                   "Answer an authorization request with a page on which a person agrees or "
                   "refuses (default: redirect at once)");
    arguments.flag("--signed-tokens", signs_tokens_,
                   "Sign access tokens, so that servers can check them (reference-server "
                   "--auth-server)");
    arguments.text("--trust", issuer_, "ISSUER",
                   "Take grants of this identity provider for tokens of its users (needs "
                   "--trust-key)");
    arguments.text("--trust-key", key_file_, "FILE", "The private key that it signs with (PEM)");
    arguments.flag("--workloads", trusts_workloads_,
                   "With --trust: take JWTs of workloads, and not grants of users");
    arguments.texts("--fault", fault_ids_, "ID",
                    "Break a rule in this way (repeatable); 'list faults' shows all");
    arguments.footer(
        "Users do not log in: without --consent, each request for a code is answered with a "
        "redirect.\n"
        "Use it only for tests on this machine.");
  }

  int run() override {
    std::vector<const authorization::Fault*> faults;
    for (const std::string& id : fault_ids_) {
      faults.push_back(authorization::find_fault(id));
      if (faults.back() == nullptr) {
        throw UsageError(fmt::format(
            "unknown fault '{}'{}", id,
            did_you_mean_or(id, ids_of(authorization::all_faults()), "'mcp-assay list faults'")));
      }
    }
    const std::vector<authorization::TrustedIssuer> trusted = trusted_issuers();
    const Interrupt interrupt;
    authorization::HostedServer server(static_cast<int>(port_));
    const auto trouble = server.start([&](const std::string& origin) {
      authorization::Knobs knobs = authorization::sound_knobs(origin);
      knobs.asks_for_consent = asks_for_consent_;
      if (signs_tokens_) knobs.signing = authorization::Signing::kEs256;
      (trusts_workloads_ ? knobs.workload_issuers : knobs.trusted) = trusted;
      for (const authorization::Fault* fault : faults) fault->spoil(knobs);
      return knobs;
    });
    if (trouble) {
      fmt::print(stderr, "mcp-assay reference-authorization-server: {}\n", *trouble);
      return kNotTested;
    }
    fmt::print("listening on {}\n", server.origin());
    std::fflush(stdout);
    std::mutex mutex;
    std::condition_variable_any over;
    std::unique_lock lock(mutex);
    over.wait(lock, interrupt.token(), [] { return false; });
    return kConformant;
  }

 private:
  std::vector<authorization::TrustedIssuer> trusted_issuers() const {
    if (issuer_.empty() != key_file_.empty()) {
      throw UsageError("--trust and --trust-key need each other");
    }
    if (trusts_workloads_ && issuer_.empty()) throw UsageError("--workloads needs --trust");
    if (issuer_.empty()) return {};
    std::ifstream file(key_file_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto key = authorization::SigningKey::of_pem(text);
    if (key == nullptr) throw UsageError("--trust-key: this is no private key as PEM");
    return {{issuer_, authorization::VerifyingKey::read(key->jwk())}};
  }

  std::string issuer_;
  std::string key_file_;
  bool trusts_workloads_ = false;
  std::int64_t port_ = 0;
  bool asks_for_consent_ = false;
  bool signs_tokens_ = false;
  std::vector<std::string> fault_ids_;
};

const CommandRegistration<ReferenceAuthorizationServerCommand>
    kReferenceAuthorizationServerCommandRegistration;

}  // namespace
}  // namespace assay::cli
