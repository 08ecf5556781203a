#include "harness/cli/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {

int terminal_width(int descriptor, int otherwise) {
  winsize size{};
  const bool is_known =
      isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : otherwise;
}

}  // namespace assay::cli
