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
  if (!problem_.empty()) return;
  if (values_ == Values::kKept) return put(to_json_line(event, redact_));
  put(to_json_line(event, redact_,
                   [this](std::string& text) { text = remover_.without_values(text); }));
}

// A line goes out in one piece, so that no reader finds half of one.
void TranscriptLog::put(std::string line) {
  line += '\n';
  if (problem_.empty() && bytes_ + line.size() > most_bytes_) {
    problem_ = fmt::format("it would be longer than {} MiB", most_bytes_ >> 20U);
  }
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
