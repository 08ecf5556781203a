#include "harness/cli/transcript_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/command.h"
#include "harness/transcript/transcript_file.h"

namespace assay::cli {

TranscriptWriter::TranscriptWriter(const std::string& path, std::vector<reports::Secret> secrets)
    : secrets_(std::move(secrets)), out_(path, std::ios::binary) {
  if (!out_) throw UsageError(fmt::format("cannot write the transcript '{}'", path));
}

void TranscriptWriter::write(std::string_view run, std::string_view scenario,
                             std::span<const harness::EventPtr> events) {
  const std::lock_guard lock(mutex_);
  out_
      << nlohmann::json{{"connection", ++connections_}, {"run", run}, {"scenario", scenario}}.dump()
      << '\n';
  for (const auto& event : events) {
    std::string line = harness::to_json_line(*event);
    reports::redact(line, secrets_);
    out_ << line << '\n';
  }
}

}  // namespace assay::cli
