#include "reference/transport/pump.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

struct TestPipe {
  TestPipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  UniqueFd read_end;
  UniqueFd write_end;
};

// What was told, put together again.
class Told : public PassageWatcher {
 public:
  void passed(Party /*speaker*/, std::string_view bytes) override { bytes_.append(bytes); }
  void ended(Party /*speaker*/, bool is_unread) override {
    ++ends_;
    was_unread_ = is_unread;
  }
  bool was_unread() const { return was_unread_; }
  const std::string& bytes() const { return bytes_; }
  int ends() const { return ends_; }

 private:
  std::string bytes_;
  int ends_ = 0;
  bool was_unread_ = false;
};

void write_in_pieces(int fd, std::string_view bytes, std::mt19937& random, std::size_t longest) {
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + random() % longest);
    const ssize_t count = ::write(fd, bytes.data(), size);
    if (count < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string read_all(int fd, std::size_t at_once) {
  std::string out;
  std::vector<char> buffer(at_once);
  for (ssize_t count = 1; count > 0;) {
    count = ::read(fd, buffer.data(), buffer.size());
    if (count > 0) out.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return out;
}

// Sends the bytes through a pump in pieces, and reads them in others.
void expect_unchanged(const std::string& bytes, std::mt19937& random, std::size_t longest,
                      bool blocks) {
  std::signal(SIGPIPE, SIG_IGN);
  TestPipe in;
  TestPipe out;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!blocks) ::fcntl(out.write_end.get(), F_SETFL, O_NONBLOCK);
  Told told;
  Pump pump(in.read_end.get(), out.write_end.get(), Party::kServer, stop.get(), told);
  std::mt19937 pieces(random());
  std::thread writer([&] {
    write_in_pieces(in.write_end.get(), bytes, pieces, longest);
    in.write_end.reset();
  });
  std::thread between([&] {
    pump.run();
    out.write_end.reset();
  });
  const std::string came = read_all(out.read_end.get(), 1 + random() % (2 * longest));
  writer.join();
  between.join();
  ASSERT_EQ(came, bytes);
  ASSERT_EQ(told.bytes(), bytes);
  ASSERT_EQ(told.ends(), 1);
  ASSERT_FALSE(told.was_unread());
}

std::string random_session(std::mt19937& random) {
  std::string out;
  const std::size_t lines = random() % 6;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t length = random() % 200;
    for (std::size_t k = 0; k < length; ++k) out += static_cast<char>(random());
    if (random() % 5 != 0) out += '\n';
  }
  return out;
}

TEST(Pump, ChangesNothingInRandomSessions) {
  std::mt19937 random(20251125);
  for (int i = 0; i < 10'000; ++i) {
    expect_unchanged(random_session(random), random, 1 + random() % 64, i % 2 == 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Pump, ChangesNothingInHostileSessions) {
  std::mt19937 random(4711);
  const std::string megabyte(1u << 20, 'x');
  const std::vector<std::string> hostile = {
      "",
      "\n",
      std::string(3, '\0'),
      "\xff\xfe\x80 no UTF-8",
      "{\"cut\":",
      "\r\n\r\r\n",
      std::string(70'000, '\n'),
      megabyte,
      megabyte + "\n" + megabyte + "\n",
      "\xef\xbb\xbf{}\n",
  };
  for (int round = 0; round < 10; ++round) {
    for (const std::string& bytes : hostile) {
      expect_unchanged(bytes, random, round % 2 == 0 ? 1u << 17 : 4'000, round < 5);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Pump, EndsWhenItsReaderIsGone) {
  std::signal(SIGPIPE, SIG_IGN);
  TestPipe in;
  TestPipe out;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  Told told;
  Pump pump(in.read_end.get(), out.write_end.get(), Party::kClient, stop.get(), told);
  std::thread between([&] { pump.run(); });
  out.read_end.reset();
  between.join();
  EXPECT_EQ(told.ends(), 1);
  EXPECT_TRUE(told.was_unread());
}

TEST(Pump, StopsWhileAServerDoesNotRead) {
  std::signal(SIGPIPE, SIG_IGN);
  TestPipe in;
  TestPipe out;
  ::fcntl(out.write_end.get(), F_SETFL, O_NONBLOCK);
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  Told told;
  Pump pump(in.read_end.get(), out.write_end.get(), Party::kClient, stop.get(), told);
  std::thread between([&] { pump.run(); });
  std::thread writer([&] {
    std::mt19937 random(1);
    write_in_pieces(in.write_end.get(), std::string(1u << 20, 'x'), random, 1u << 16);
  });
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(stop.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  between.join();
  in.read_end.reset();
  writer.join();
  EXPECT_EQ(told.ends(), 1);
}

// Whoever goes on writing keeps nobody.
TEST(Pump, PassesOnWhatWaitsAtAStopAndNothingMore) {
  std::signal(SIGPIPE, SIG_IGN);
  TestPipe in;
  TestPipe out;
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  Told told;
  Pump pump(in.read_end.get(), out.write_end.get(), Party::kServer, stop.get(), told);
  std::thread writer([&] {
    const std::string text(4096, 'x');
    while (::write(in.write_end.get(), text.data(), text.size()) > 0) {
    }
  });
  std::thread reader([&] { read_all(out.read_end.get(), 1u << 16); });
  std::thread between([&] {
    pump.run();
    out.write_end.reset();
  });
  const std::uint64_t one = 1;
  EXPECT_EQ(::write(stop.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  between.join();
  in.read_end.reset();
  writer.join();
  reader.join();
  EXPECT_EQ(told.ends(), 1);
  EXPECT_FALSE(told.was_unread());
  EXPECT_EQ(pump.passed(), told.bytes().size());
}

}  // namespace
}  // namespace assay::transport
