#include "harness/frame/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace assay::cli {

int terminal_width(int descriptor, int otherwise) {
  winsize size{};
  const bool is_known =
      isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : otherwise;
}

bool is_capable_terminal(int descriptor) {
  if (isatty(descriptor) != 1) return false;
  const char* kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind) != "dumb";
}

bool wants_color(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return is_capable_terminal(descriptor) && (refused == nullptr || *refused == '\0');
}

}  // namespace assay::cli
