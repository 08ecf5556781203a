// Takes the credentials of OAuth out of what is recorded: tokens, codes, verifiers, secrets.
//
// Each becomes a label of the vault before it is handed on, the same for the same value, so that
// it can still be judged who showed what to whom; and the vault hides it wherever else it turns up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "reference/transport/observer.h"
#include "reports/vault.h"

namespace assay::harness {

// What stands in a credential's place.
using LabelCredential = std::function<std::string(const std::string& value)>;
// Of an HTTP head: where a redirect or a page leads, and where a request comes from. Whoever reads
// a code or token there can go on with it himself. Servers repeat the place in the body.
void mask_places(transport::Observation& observation, const LabelCredential& label);

// The pages that answer authorization requests. A browser goes on from one by a form, a script or a
// link, and the code may stand there in any writing: nothing of such a page is kept but its length.
class CodePages {
 public:
  // To be asked of everything that passes, in its order, by any thread: true of such a page.
  bool hides(const transport::Observation& observation);

 private:
  std::atomic<bool> is_any_{false};  // of them
  std::mutex mutex_;                 // guards the one below
  std::set<std::uint64_t> asking_;   // the lanes of such requests that are under way
};

class CredentialMask : public transport::Observer {
 public:
  // What one client may make us search for everywhere; what is beyond it is masked where it stands.
  static constexpr std::size_t kMostHidden = 300;

  // `inner` outlives it. Lanes are numbered from `first_lane` on, so that two listeners can share
  // one recorder.
  CredentialMask(transport::Observer& inner, std::shared_ptr<reports::Vault> vault,
                 std::uint64_t first_lane = 0)
      : inner_(inner), vault_(std::move(vault)), first_lane_(first_lane) {}

  void observe(const transport::Observation& observation) override;
  bool is_full() const override { return inner_.is_full(); }

 private:
  std::string label(const std::string& value);
  void mask_json(std::string& text);

  transport::Observer& inner_;
  const std::shared_ptr<reports::Vault> vault_;
  const std::uint64_t first_lane_;
  CodePages pages_;
  std::mutex mutex_;  // guards hidden_
  std::set<std::string> hidden_;
};

}  // namespace assay::harness
