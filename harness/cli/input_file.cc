#include "harness/cli/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <streambuf>

#include "harness/frame/command.h"
#include "reference/transport/unique_fd.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

// How long a named pipe is given for somebody to write to it.
constexpr int kPatienceMs = 3000;

}  // namespace

class InputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(transport::UniqueFd file) : file_(std::move(file)) {}

 protected:
  int_type underflow() override {
    ssize_t count = -1;
    do {
      count = ::read(file_.get(), chunk_.data(), chunk_.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return traits_type::eof();
    setg(chunk_.data(), chunk_.data(), chunk_.data() + count);
    return traits_type::to_int_type(chunk_[0]);
  }

 private:
  transport::UniqueFd file_;
  std::array<char, 64u << 10> chunk_;
};

InputFile::InputFile(const std::string& path) : stream_(nullptr) {
  const auto refuse = [&](const char* why) {
    throw UsageError(fmt::format("cannot read '{}': {}", reports::printable_line(path), why));
  };
  transport::UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) refuse(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse("it is a folder");
  pollfd waiting{file.get(), POLLIN, 0};
  if (S_ISFIFO(status.st_mode) && ::poll(&waiting, 1, kPatienceMs) == 0) {
    refuse("it is a pipe, and no program writes to it");
  }
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
  buffer_ = std::make_unique<Buffer>(std::move(file));
  stream_.rdbuf(buffer_.get());
}

InputFile::~InputFile() = default;

}  // namespace assay::cli
