// Adds up what channels report, as far as it belongs to the measured time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/load/channel.h"
#include "bench/load/mix.h"
#include "reports/load/load_result.h"

namespace assay::bench {

// Times are those of now_ns().
class Recorder : public ChannelOwner {
 public:
  explicit Recorder(const Mix& mix);

  // Forgets everything, for another measurement.
  void restart(bool is_open_loop);

  // The measured time; nothing counts before it is set. Its end may be moved forward.
  void set_window(std::uint64_t begin, std::uint64_t end);
  void end_at(std::uint64_t end) { end_ = end; }

  void answered(const PendingRequest& request, std::uint64_t at, std::string_view trouble) override;
  void disturbed(std::string_view trouble) override;
  void transferred(std::size_t sent, std::size_t received) override;

  // A request of the open loop left, this many nanoseconds too late although a connection was free.
  void issued(std::uint64_t due, std::uint64_t late);
  // `times` requests of the open loop that were due and found no free connection.
  void never_sent(std::uint64_t due, std::uint64_t times);

  // All answers since restart(), for those who wait for one.
  std::uint64_t completed() const { return completed_; }
  std::uint64_t good() const { return result_.answers; }
  std::uint64_t bad() const { return result_.error_count(); }

  // Fills what was found in. Call once, at the end.
  reports::LoadResult take();

 private:
  struct PerEntry {
    std::uint64_t answers = 0;
    std::uint64_t errors = 0;
    reports::Histogram latency;
  };
  struct Sample {
    std::uint64_t answers = 0;
    double latency_sum = 0;
  };

  bool is_measured(std::uint64_t at) const { return at >= begin_ && at < end_; }
  void add_error(std::string_view trouble);

  const Mix& mix_;
  bool is_open_loop_ = false;
  std::uint64_t begin_ = UINT64_MAX;
  std::uint64_t end_ = 0;
  std::uint64_t completed_ = 0;
  reports::LoadResult result_;
  reports::Histogram service_;
  reports::Histogram late_;
  std::vector<PerEntry> entries_;
  std::vector<Sample> samples_;
};

}  // namespace assay::bench
