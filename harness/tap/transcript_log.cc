#include "harness/tap/transcript_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace assay::harness {

TranscriptLog::TranscriptLog(const std::string& path, const std::string& run, Redaction redact,
                             Values values, std::uint64_t most_bytes)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      redact_(std::move(redact)),
      values_(values),
      most_bytes_(most_bytes) {
  if (!file_.is_open()) problem_ = std::strerror(errno);
  Json heading = {{"connection", 1}, {"run", run}};
  if (values_ == Values::kRemoved) heading["values_removed"] = true;
  put(heading.dump());
}

void TranscriptLog::write(const Event& event) {
  if (left_out_ > 0) ++left_out_;
  if (!problem_.empty() || left_out_ > 0) return;
  const std::string line =
      to_json_line(event, redact_, values_ == Values::kRemoved ? &remover_ : nullptr);
  if (bytes_ + line.size() + 1 <= most_bytes_) return put(line);
  left_out_ = 1;
}

void TranscriptLog::finish() {
  if (left_out_ == 0) return;
  put(left_out_line(left_out_));
  if (!problem_.empty()) return;
  problem_ = fmt::format("it lacks its last {} events: it would be longer than {} MiB", left_out_,
                         most_bytes_ >> 20U);
}

// A line goes out in one piece, so that no reader finds half of one.
void TranscriptLog::put(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (problem_.empty() && !rest.empty()) {
    const ssize_t count = ::write(file_.get(), rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
      bytes_ += static_cast<std::uint64_t>(count);
    } else if (errno != EINTR) {
      problem_ = std::strerror(errno);
    }
  }
}

}  // namespace assay::harness
