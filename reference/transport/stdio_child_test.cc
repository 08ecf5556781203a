#include "reference/transport/stdio_child.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "reference/transport/offspring.h"
#include "reference/transport/recorder_testing.h"
#include "reference/transport/stdio_child_testing.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;

bool is_alive(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(stat, text)) return false;
  return text.substr(text.rfind(')') + 2, 1) != "Z";
}

// The first line that a script prints is the process id of what it left behind.
pid_t read_pid(Recorder& recorder) {
  const auto line = recorder.wait_for(Observation::Kind::kLine);
  return line ? static_cast<pid_t>(std::stol(line->bytes)) : -1;
}

TEST(StdioChild, EchoesLines) {
  Recorder recorder;
  StdioChild child(shell("cat"), recorder);
  ASSERT_FALSE(child.open());
  child.send("{\"a\":1}");
  child.send_raw("half");
  child.send_raw(" and half\r\n");
  ASSERT_TRUE(recorder.wait_for_line("{\"a\":1}"));
  const auto line = recorder.wait_for_line("half and half");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->has_carriage_return);
  child.close(test_deadline());
  ASSERT_TRUE(child.exit());
  EXPECT_EQ(child.exit()->code, 0);
  EXPECT_FALSE(child.exit()->was_killed_by_us);
}

TEST(StdioChild, ObservesWhatIsSentBeforeSendReturns) {
  Recorder recorder;
  StdioChild child(shell("cat"), recorder);
  ASSERT_FALSE(child.open());
  child.send("x");
  ASSERT_FALSE(recorder.all().empty());
  EXPECT_EQ(recorder.all().front().bytes, "x");
  EXPECT_EQ(recorder.all().front().speaker, Party::kClient);
}

// From now on pidfd_open fails on this thread and on those that it starts, as in a container whose
// filter of system calls is older than it.
bool deny_pidfd_open() {
  constexpr __u32 kDenied = SECCOMP_RET_ERRNO | ENOSYS;
  sock_filter filter[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_pidfd_open},
                          {BPF_RET | BPF_K, 0, 0, kDenied},
                          {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         ::syscall(SYS_pidfd_open, ::getpid(), 0) < 0;
}

TEST(StdioChild, SeesAnExitWithoutADescriptorThatTellsIt) {
  bool is_denied = false;
  std::optional<ProcessExit> exit;
  std::thread([&] {
    is_denied = deny_pidfd_open();
    if (!is_denied) return;
    Recorder recorder;
    StdioChild child(shell("cat; exit 3"), recorder);
    if (child.open()) return;
    child.close_stdin();
    exit = child.wait_for_exit(test_deadline());
  }).join();
  if (!is_denied) GTEST_SKIP() << "no filter of system calls may be set here";
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 3);
  EXPECT_FALSE(exit->was_killed_by_us);
}

TEST(StdioChild, TellsAMissingCommandFromOneThatCannotRun) {
  Recorder recorder;
  StdioOptions options;
  options.spawn.command = {"no-such-command-here"};
  auto failure = StdioChild(options, recorder).open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kNotFound);
  options.spawn.command = {"/etc/passwd"};
  failure = StdioChild(options, recorder).open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kNotExecutable);
  options.spawn.command = {"/etc"};
  failure = StdioChild(options, recorder).open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kNotExecutable);
  options.spawn.command = {};
  EXPECT_TRUE(StdioChild(options, recorder).open());
  EXPECT_TRUE(recorder.all().empty());
}

TEST(StdioChild, TellsAScriptWhoseInterpreterIsMissing) {
  const auto script =
      std::filesystem::temp_directory_path() / fmt::format("assay-interpreter-{}", ::getpid());
  std::ofstream(script) << "#!/no/such/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  Recorder recorder;
  StdioOptions options;
  options.spawn.command = {script.string()};
  const auto failure = StdioChild(options, recorder).open();
  std::filesystem::remove(script);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kNotFound);
  EXPECT_THAT(failure->detail, testing::HasSubstr("interpreter"));
}

TEST(StdioChild, RunsInADirectoryWithAddedEnvironment) {
  Recorder recorder;
  StdioOptions options = shell("pwd; echo $ASSAY_ADDED");
  options.spawn.directory = "/";
  options.spawn.environment = {{"ASSAY_ADDED", "yes"}};
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  EXPECT_TRUE(recorder.wait_for_line("/"));
  EXPECT_TRUE(recorder.wait_for_line("yes"));
}

// A name that is longer than what is inherited was once compared with the bytes behind it, which
// sanitizers see.
TEST(StdioChild, AddsAVariableWhoseNameIsLongerThanThoseItInherits) {
  ::setenv("ASSAY", "of 19 bytes :", 1);
  Recorder recorder;
  StdioOptions options = shell("echo $ASSAY $ASSAY_ADDED_BY_A_TEST_OF_OURS");
  options.spawn.environment = {{"ASSAY_ADDED_BY_A_TEST_OF_OURS", "yes"}};
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  EXPECT_TRUE(recorder.wait_for_line("of 19 bytes : yes"));
  ::unsetenv("ASSAY");
}

TEST(StdioChild, ShowsExitCodeAndStderrOfAChildThatDiesAtOnce) {
  Recorder recorder;
  StdioChild child(shell("echo broken config >&2; exit 7"), recorder);
  ASSERT_FALSE(child.open());
  child.send("{}");
  const auto exit = recorder.wait_for(Observation::Kind::kExit);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->exit->code, 7);
  EXPECT_EQ(child.stderr_tail(), "broken config\n");
  ASSERT_TRUE(child.wait_for_exit(test_deadline()));
  ASSERT_TRUE(child.usage());
  EXPECT_GT(child.usage()->peak_memory_bytes, 0u);
}

TEST(StdioChild, ObservesEverythingWrittenBeforeTheExit) {
  Recorder recorder;
  StdioChild child(shell("echo one; printf two"), recorder);
  ASSERT_FALSE(child.open());
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kExit));
  std::vector<std::string> lines;
  for (const Observation& seen : recorder.all()) {
    if (seen.kind == Observation::Kind::kLine) lines.push_back(seen.bytes);
  }
  EXPECT_THAT(lines, testing::ElementsAre("one", "two"));
  EXPECT_TRUE(recorder.wait_for_line("two")->is_unterminated);
}

TEST(StdioChild, KillsAChildThatIgnoresSigterm) {
  Recorder recorder;
  StdioOptions options = shell("trap '' TERM; echo $$; while :; do sleep 60 <&-; done");
  options.exit_grace = options.terminate_grace = milliseconds(20);
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  const pid_t pid = read_pid(recorder);
  child.close(test_deadline());
  EXPECT_FALSE(is_alive(pid));
  ASSERT_TRUE(child.exit());
  EXPECT_EQ(child.exit()->signal, SIGKILL);
  EXPECT_TRUE(child.exit()->was_killed_by_us);
}

TEST(StdioChild, EndsBySigtermWhatDoesNotEndByItself) {
  Recorder recorder;
  StdioOptions options = shell("echo $$; exec sleep 60");
  options.exit_grace = milliseconds(20);
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  read_pid(recorder);
  child.close(test_deadline());
  EXPECT_EQ(child.exit()->signal, SIGTERM);
}

// Closes the child's stdin and kills it while the transport's thread is held in observe().
class SlowObserver : public Recorder {
 public:
  void observe(const Observation& observation) override {
    Recorder::observe(observation);
    if (child == nullptr || observation.kind != Observation::Kind::kLine) return;
    child->close_stdin();
    child->signal(SIGTERM);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child->pid()), &info, WEXITED | WNOWAIT);
  }
  StdioChild* child = nullptr;
};

TEST(StdioChild, ClosedStdinBeforeItKilledHoweverLateItSeesTheEnd) {
  SlowObserver observer;
  StdioChild child(shell("read x; echo go; exec sleep 60"), observer);
  observer.child = &child;
  ASSERT_FALSE(child.open());
  child.send_raw("\n");
  ASSERT_TRUE(child.wait_for_exit(test_deadline()));
  std::vector<Party> closed_by;
  for (const Observation& observation : observer.all()) {
    if (observation.kind == Observation::Kind::kClosed) closed_by.push_back(observation.speaker);
  }
  EXPECT_EQ(closed_by, (std::vector{Party::kClient, Party::kServer}));
}

TEST(StdioChild, LeavesNoGrandchildThatStartedASessionOfItsOwn) {
  Recorder recorder;
  StdioChild child(shell("setsid sh -c 'trap \"\" TERM; echo $$; exec sleep 60' & cat"), recorder);
  ASSERT_FALSE(child.open());
  const pid_t grandchild = read_pid(recorder);
  ASSERT_GT(grandchild, 0);
  child.close(test_deadline());
  EXPECT_FALSE(is_alive(grandchild));
}

TEST(StdioChild, LeavesNoDaemonWhoseParentIsGone) {
  Recorder recorder;
  StdioChild child(shell("(setsid sh -c 'echo $$; exec sleep 60' &) ; exit 0"), recorder);
  ASSERT_FALSE(child.open());
  const pid_t daemon = read_pid(recorder);
  ASSERT_TRUE(child.wait_for_exit(test_deadline()));
  EXPECT_TRUE(is_alive(daemon));
  child.close(test_deadline());
  EXPECT_FALSE(is_alive(daemon));
}

// In the middle of execve(2) the kernel shows no environment, and so no mark.
TEST(StdioChild, LeavesNoDaemonThatStartsOneProgramAfterAnother) {
  Recorder recorder;
  StdioChild child(shell("(setsid sh -c 'echo $$; exec \"$0\" -c \"$1\" \"$0\" \"$1\"' "
                         "/bin/sh 'exec \"$0\" -c \"$1\" \"$0\" \"$1\"' &) ; exit 0"),
                   recorder);
  ASSERT_FALSE(child.open());
  const pid_t daemon = read_pid(recorder);
  ASSERT_TRUE(child.wait_for_exit(test_deadline()));
  child.close(test_deadline());
  EXPECT_FALSE(is_alive(daemon));
}

// Processes may be started as fast as they are read.
TEST(Offspring, IsLookedForUntilTheDeadlineOnly) {
  Recorder recorder;
  StdioChild child(shell("sleep 60 & echo $$; cat"), recorder);
  ASSERT_FALSE(child.open());
  ASSERT_EQ(read_pid(recorder), child.pid());
  EXPECT_FALSE(descendants_of(child.pid(), test_deadline()).empty());
  EXPECT_TRUE(descendants_of(child.pid(), std::chrono::steady_clock::now()).empty());
  child.close(test_deadline());
}

TEST(StdioChild, EndOfTheRunFindsADaemonWithoutEnvironment) {
  Recorder recorder;
  StdioChild child(shell("(setsid env -i /bin/sh -c 'echo $$; exec /bin/sleep 60' &) ; exit 0"),
                   recorder);
  ASSERT_FALSE(child.open());
  const pid_t daemon = read_pid(recorder);
  ASSERT_TRUE(child.wait_for_exit(test_deadline()));
  child.close(test_deadline());
  EXPECT_TRUE(end_all_descendants(test_deadline()));
  EXPECT_FALSE(is_alive(daemon));
}

TEST(StdioChild, EndsAChildThatOnlyClosesItsStdout) {
  Recorder recorder;
  StdioOptions options = shell("echo $$; exec >&-; exec sleep 60");
  options.exit_grace = options.terminate_grace = milliseconds(20);
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  const pid_t pid = read_pid(recorder);
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kClosed));
  EXPECT_FALSE(child.exit());
  child.close(test_deadline());
  EXPECT_FALSE(is_alive(pid));
}

TEST(StdioChild, EndOfStdinReachesTheChildAfterEverythingSent) {
  Recorder recorder;
  StdioChild child(shell("wc -c"), recorder);
  ASSERT_FALSE(child.open());
  child.send_raw(std::string(500000, 'x'));
  child.close_stdin();
  EXPECT_TRUE(recorder.wait_for_line("500000"));
  child.send("late");
  EXPECT_TRUE(recorder.wait_for(Observation::Kind::kBroken, Party::kClient));
}

// A sibling must not hold the write end of another's stdin, or that one would never see it end.
TEST(StdioChild, SiblingsDoNotInheritEachOthersPipes) {
  Recorder first_recorder;
  Recorder second_recorder;
  StdioChild first(shell("cat; echo ended"), first_recorder);
  ASSERT_FALSE(first.open());
  StdioChild second(shell("cat"), second_recorder);
  ASSERT_FALSE(second.open());
  first.close_stdin();
  EXPECT_TRUE(first_recorder.wait_for_line("ended"));
}

TEST(StdioChild, ObservesNothingAfterClose) {
  Recorder recorder;
  StdioChild child(shell("trap '' TERM; while :; do echo x; done"), recorder);
  ASSERT_FALSE(child.open());
  ASSERT_TRUE(recorder.wait_for_line("x"));
  child.close(std::chrono::steady_clock::now() + milliseconds(50));
  const std::size_t seen = recorder.all().size();
  child.send("y");
  EXPECT_EQ(recorder.all().size(), seen);
}

}  // namespace
}  // namespace assay::transport
