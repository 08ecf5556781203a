#include "harness/cli/transcript_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/frame/command.h"
#include "harness/transcript/transcript_file.h"
#include "reports/escape.h"

namespace assay::cli {

TranscriptWriter::TranscriptWriter(std::string path, std::shared_ptr<const reports::Vault> vault,
                                   std::uintmax_t most_bytes)
    : path_(std::move(path)),
      vault_(std::move(vault)),
      most_bytes_(most_bytes),
      out_(path_, std::ios::binary) {
  if (!out_) {
    throw UsageError(fmt::format("cannot write the transcript '{}': {}",
                                 reports::printable_line(path_), std::strerror(errno)));
  }
}

void TranscriptWriter::put(const std::string& line) {
  if (!problem_.empty()) return;
  errno = 0;
  out_ << line << '\n';
  bytes_ += line.size() + 1;
  if (!out_) problem_ = std::strerror(errno);
}

void TranscriptWriter::write(std::string_view run, std::string_view scenario,
                             std::span<const harness::EventPtr> events) {
  const std::lock_guard lock(mutex_);
  if (left_out_ > 0) {
    left_out_ += events.size();
    return;
  }
  put(nlohmann::json{{"connection", ++connections_}, {"run", run}, {"scenario", scenario}}.dump());
  for (const auto& event : events) {
    const auto& observation = event->observation;
    const bool is_piece =
        observation.kind == harness::KeptObservation::Kind::kStderr || observation.is_truncated;
    const std::string line = harness::to_json_line(*event, [&](std::string& text) {
      is_piece ? vault_->redact_piece(text) : vault_->redact(text);
    });
    if (left_out_ > 0 || bytes_ + line.size() > most_bytes_) {
      ++left_out_;
    } else {
      put(line);
    }
  }
}

std::optional<std::string> TranscriptWriter::finish() {
  const std::lock_guard lock(mutex_);
  if (left_out_ > 0) put(harness::left_out_line(left_out_));
  errno = 0;
  out_.close();
  if (!out_ && problem_.empty()) problem_ = std::strerror(errno);
  const std::string shown = reports::printable_line(path_);
  if (!problem_.empty()) {
    return fmt::format("the transcript '{}' could not be written whole: {}", shown, problem_);
  }
  if (left_out_ == 0) return std::nullopt;
  return fmt::format("the transcript '{}' lacks its last {} events: it would be longer than {} MiB",
                     shown, left_out_, most_bytes_ >> 20U);
}

}  // namespace assay::cli
