#include "reference/transport/inheritance.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace assay::transport {

void repair_inheritance() {
  std::signal(SIGCHLD, SIG_DFL);
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd > STDERR_FILENO) ::close(fd);
}

}  // namespace assay::transport
