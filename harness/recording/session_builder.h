// Puts a conversation together from what was observed: numbers the events, and bounds them.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "harness/runner/passive.h"
#include "reference/transport/observer.h"

namespace assay::harness {

// No longer line is read, nor a longer file that is one piece (HAR).
inline constexpr std::size_t kMostRecordedBytes = 256u << 20;
// Nor one whose tree may take more memory.
inline constexpr std::size_t kMostHeldBytes = 512u << 20;

class SessionBuilder {
 public:
  // Credentials in header fields become labels of the vault.
  explicit SessionBuilder(std::shared_ptr<reports::Vault> vault,
                          TransportKind transport = TransportKind::kStdio)
      : vault_(std::move(vault)) {
    conversation_.transport = transport;
  }

  void add(const transport::Observation& observation, std::chrono::nanoseconds at);
  // The same of an event of another builder, which has bounded it; it gets another number.
  void add(const EventPtr& event);
  bool is_empty() const { return conversation_.events.empty(); }
  // The event that was added last; there has to be one.
  const EventPtr& latest() const { return conversation_.events.back(); }
  // There was more than one session may hold: it ends with a kCutOff, and lacks what came after it.
  bool is_cut() const { return is_cut_; }
  // At most what it holds.
  std::size_t bytes() const { return bytes_; }
  RecordedSession& conversation() { return conversation_; }
  // Hands it over, and is empty again. Where nobody vouches for its beginning
  // (`is_beginning_known`), the first message tells whether that is there: the client's
  // `initialize` or `server/discover`.
  RecordedSession finish(bool is_beginning_known);

 private:
  void keep(std::shared_ptr<Event> event);
  void cut_off(transport::Lane lane, std::chrono::nanoseconds at);
  bool seems_to_begin() const;
  bool has_end() const;

  std::shared_ptr<reports::Vault> vault_;
  RecordedSession conversation_;
  std::size_t bytes_ = 0;
  bool is_cut_ = false;
};

}  // namespace assay::harness
