// A file that somebody names, opened without waiting for ever.
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace assay::cli {

class InputFile {
 public:
  // Throws UsageError where it cannot be read, and of a pipe to which nobody writes.
  explicit InputFile(const std::string& path);
  ~InputFile();
  std::istream& stream() { return stream_; }

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::istream stream_;
};

}  // namespace assay::cli
