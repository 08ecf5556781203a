#include "harness/frame/standard_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace assay::cli {

std::string why_not_written(int error) {
  if (error == EPIPE) return "";
  return fmt::format("cannot write to standard output{}{}", error == 0 ? "" : ": ",
                     error == 0 ? "" : std::strerror(error));
}

std::string finish_standard_output() {
  // What failed before stands in the buffer still: writing it again tells why.
  errno = 0;
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  const int error = errno;
  const bool has_failed = !is_flushed || std::ferror(stdout) != 0 || !std::cout;
  return has_failed ? why_not_written(error) : "";
}

}  // namespace assay::cli
