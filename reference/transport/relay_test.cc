#include "reference/transport/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

// A folder with a Unix socket at which this process listens.
class Socket {
 public:
  Socket() {
    std::string folder = std::filesystem::temp_directory_path() / "relay-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    path_ = folder_ + "/s";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_.get(), 1);
  }
  ~Socket() { std::filesystem::remove_all(folder_); }

  const std::string& path() const { return path_; }
  UniqueFd accept() const { return UniqueFd(::accept(listener_.get(), nullptr, nullptr)); }

 private:
  std::string folder_;
  std::string path_;
  UniqueFd listener_;
};

// A relay in a process of its own, and our ends of its standard streams.
struct Process {
  explicit Process(const std::string& path) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    id = ::fork();
    if (id == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int each : {in[0], in[1], out[0], out[1]}) ::close(each);
      run_copying_relay(path);
      ::_exit(3);
    }
    ::close(in[0]);
    ::close(out[1]);
    input.reset(in[1]);
    output.reset(out[0]);
  }

  int exit_code() const {
    int status = 0;
    ::waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t id = 0;
  UniqueFd input;
  UniqueFd output;
};

std::string read_all(int descriptor) {
  std::string out;
  std::array<char, 64> part{};
  for (ssize_t n = 0; (n = ::read(descriptor, part.data(), part.size())) > 0;) {
    out.append(part.data(), static_cast<std::size_t>(n));
  }
  return out;
}

void write_all(int descriptor, const std::string& text) {
  ASSERT_EQ(::write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(CopyingRelay, CopiesBothWaysAndPassesOnTheEnds) {
  const Socket socket;
  Process process(socket.path());
  UniqueFd connection = socket.accept();
  write_all(process.input.get(), "to the server\n");
  process.input.reset();
  EXPECT_EQ(read_all(connection.get()), "to the server\n");
  write_all(connection.get(), "to the client\n");
  connection.reset();
  EXPECT_EQ(read_all(process.output.get()), "to the client\n");
  EXPECT_EQ(process.exit_code(), 0);
}

TEST(CopyingRelay, EndsWithItsServerThoughItsInputIsOpen) {
  const Socket socket;
  const Process process(socket.path());
  socket.accept().reset();
  EXPECT_EQ(read_all(process.output.get()), "");
  EXPECT_EQ(process.exit_code(), 0);
}

TEST(CopyingRelay, EndsWhereNoProcessListens) {
  EXPECT_EQ(Process("/no/such/socket").exit_code(), 3);
}

}  // namespace
}  // namespace assay::transport
