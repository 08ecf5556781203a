#include "bench/load/recorder.h"

#include <algorithm>
#include <utility>

namespace assay::bench {
namespace {

constexpr std::uint64_t kSampleNs = 100'000'000;
constexpr std::size_t kMostErrorTexts = 32;  // the rest are counted together

std::uint64_t since(std::uint64_t begin, std::uint64_t end) {
  return end > begin ? end - begin : 0;
}

}  // namespace

Recorder::Recorder(const Mix& mix) : mix_(mix) {}

void Recorder::restart(bool is_open_loop) {
  is_open_loop_ = is_open_loop;
  begin_ = UINT64_MAX;
  end_ = 0;
  completed_ = 0;
  result_ = {};
  service_ = {};
  late_ = {};
  entries_.assign(mix_.size() > 1 ? mix_.size() : 0, {});
  samples_.clear();
}

void Recorder::set_window(std::uint64_t begin, std::uint64_t end) {
  begin_ = begin;
  end_ = end;
  samples_.reserve(since(begin, end) / kSampleNs + 1);
}

void Recorder::answered(const PendingRequest& request, std::uint64_t at, std::string_view trouble) {
  ++completed_;
  PerEntry* const entry = entries_.empty() ? nullptr : &entries_[request.entry];
  if (!trouble.empty()) {
    // Also what was sent before the measured time, or is given up after it.
    if (at >= begin_) {
      add_error(trouble);
      if (entry) ++entry->errors;
    }
    return;
  }
  const std::uint64_t latency = since(request.due, at);
  if (is_measured(request.due)) {
    result_.latency.record(latency);
    if (is_open_loop_) service_.record(since(request.sent, at));
    if (entry) entry->latency.record(latency);
  }
  if (!is_measured(at)) return;
  ++result_.answers;
  if (entry) ++entry->answers;
  const std::size_t index = (at - begin_) / kSampleNs;
  if (index >= samples_.size()) samples_.resize(index + 1);
  ++samples_[index].answers;
  samples_[index].latency_sum += static_cast<double>(latency);
}

void Recorder::disturbed(std::string_view trouble) {
  if (begin_ != UINT64_MAX) add_error(trouble);
}

void Recorder::add_error(std::string_view trouble) {
  std::string key(trouble);
  if (result_.errors.size() >= kMostErrorTexts && !result_.errors.contains(key)) key = "others";
  ++result_.errors[key];
}

void Recorder::transferred(std::size_t sent, std::size_t received) {
  if (begin_ == UINT64_MAX) return;
  result_.bytes_sent += sent;
  result_.bytes_received += received;
}

void Recorder::issued(std::uint64_t due, std::uint64_t late) {
  if (is_measured(due)) late_.record(late);
}

void Recorder::never_sent(std::uint64_t due, std::uint64_t times) {
  if (!is_measured(due)) return;
  result_.unsent += times;
  result_.latency.record(since(due, end_), times);
}

reports::LoadResult Recorder::take() {
  result_.seconds = static_cast<double>(since(begin_, end_)) / 1e9;
  result_.sample_seconds = static_cast<double>(kSampleNs) / 1e9;
  // Intervals without an answer count, and one that was cut short does not.
  samples_.resize(since(begin_, end_) / kSampleNs);
  for (const Sample& sample : samples_) {
    const double answers = std::max(static_cast<double>(sample.answers), 1.0);
    result_.samples.push_back({sample.answers, sample.latency_sum / answers});
  }
  if (is_open_loop_) {
    result_.service = reports::percentiles_of(service_);
    result_.sender_late = reports::percentiles_of(late_);
  }
  for (std::size_t i = 0; i < mix_.size(); ++i) {
    if (entries_.empty()) {
      result_.methods.push_back({mix_[i].title(), result_.answers, result_.error_count(),
                                 reports::percentiles_of(result_.latency)});
    } else {
      result_.methods.push_back({mix_[i].title(), entries_[i].answers, entries_[i].errors,
                                 reports::percentiles_of(entries_[i].latency)});
    }
  }
  return std::move(result_);
}

}  // namespace assay::bench
