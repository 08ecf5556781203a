#include "harness/script/local_listeners.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/listener_diagnosis.h"

namespace assay::harness {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
    "   1: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
    "   2: 0200000A:1F90 0100000A:C350 01 00000000:00000000 00:00000000 00000000     0\n"
    "garbage\n";

TEST(LocalListeners, KnowsLoopbackFromAllInterfaces) {
  const auto local = parse_listeners(kTable, 8080);
  ASSERT_EQ(local.size(), 1u);
  EXPECT_EQ(local[0].address, "127.0.0.1");
  EXPECT_TRUE(local[0].is_loopback);
  const auto open = parse_listeners(kTable, 8081);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].address, "0.0.0.0");
  EXPECT_FALSE(open[0].is_loopback);
}

TEST(LocalListeners, ReadsAddressesOfBothKinds) {
  const auto all = parse_listeners(
      "0: 00000000000000000000000000000000:1F90 0:0 0A\n"
      "1: 00000000000000000000000001000000:1F90 0:0 0A\n"
      "2: 0000000000000000FFFF00000100007F:1F90 0:0 0A\n",
      8080);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].address, "::");
  EXPECT_FALSE(all[0].is_loopback);
  EXPECT_TRUE(all[1].is_loopback);
  EXPECT_TRUE(all[2].is_loopback);
}

TEST(LocalListeners, AreFoundBesideConnections) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int caller = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const where = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, where, size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, where, &size), 0);
  ASSERT_EQ(::connect(caller, where, size), 0);
  const auto found = local_listeners(ntohs(address.sin_port));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].address, "127.0.0.1");
  ASSERT_EQ(::getsockname(caller, where, &size), 0);
  EXPECT_TRUE(local_listeners(ntohs(address.sin_port)).empty());
  ::close(caller);
  ::close(listener);
}

// A socket that listens at all addresses of a family, at a port that the system chose.
class OpenListener {
 public:
  explicit OpenListener(int family) : fd_(::socket(family, SOCK_STREAM, 0)) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, where, size) != 0 || ::listen(fd_, 1) != 0) return;
    ::getsockname(fd_, where, &size);
    // It stands in the same place in both kinds of address.
    port_ = ntohs(reinterpret_cast<sockaddr_in*>(where)->sin_port);
  }
  ~OpenListener() { ::close(fd_); }
  OpenListener(const OpenListener&) = delete;
  OpenListener& operator=(const OpenListener&) = delete;

  // 0 where the system has no such family.
  std::uint16_t port() const { return port_; }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

// A sandbox may forbid the question; then the tables are read.
bool may_ask_the_kernel() {
  const int fd = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

void expect_told(int family, std::uint16_t port, std::string_view address) {
  const auto told = diagnosed_listeners(family, port);
  ASSERT_TRUE(told.has_value()) << "the kernel takes the question (has it inet_diag?)";
  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front().address, address);
  EXPECT_FALSE(told->front().is_loopback);
}

TEST(LocalListeners, AreToldByTheKernel) {
  if (!may_ask_the_kernel()) GTEST_SKIP() << "the kernel may not be asked here";
  const OpenListener listener(AF_INET);
  ASSERT_NE(listener.port(), 0);
  expect_told(AF_INET, listener.port(), "0.0.0.0");
}

TEST(LocalListeners, AreToldByTheKernelForIpv6) {
  if (!may_ask_the_kernel()) GTEST_SKIP() << "the kernel may not be asked here";
  const OpenListener listener(AF_INET6);
  if (listener.port() == 0) GTEST_SKIP() << "no IPv6 here";
  expect_told(AF_INET6, listener.port(), "::");
}

// Then the tables are read.
TEST(LocalListeners, AreNotToldOfOtherFamilies) {
  EXPECT_FALSE(diagnosed_listeners(AF_UNIX, 1).has_value());
}

// The end of an answer, as netlink(7) has it: a header, and an error where there was one.
std::string end_of_answer(std::int32_t error) {
  nlmsghdr header{};
  header.nlmsg_len = NLMSG_LENGTH(sizeof error);
  header.nlmsg_type = NLMSG_DONE;
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(&error), sizeof error);
}

// A kernel that lacks the module for it ends its answer with ENOENT, which does not mean that
// nobody listens.
TEST(LocalListeners, AreNotTakenForNoneWhereTheAnswerEndsWithAnError) {
  std::vector<Listener> listeners;
  EXPECT_EQ(read_diagnosis(end_of_answer(0), 1, listeners), Diagnosis::kEnd);
  EXPECT_EQ(read_diagnosis(end_of_answer(-ENOENT), 1, listeners), Diagnosis::kRefusal);
}

TEST(LocalListeners, AreNotReadFromWhatIsCut) {
  const std::string whole = end_of_answer(0);
  std::vector<Listener> listeners;
  for (std::size_t size = 0; size < sizeof(nlmsghdr); ++size) {
    EXPECT_EQ(read_diagnosis(std::string_view(whole).substr(0, size), 1, listeners),
              Diagnosis::kRefusal)
        << size << " bytes";
  }
}

}  // namespace
}  // namespace assay::harness
