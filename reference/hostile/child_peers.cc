// Peers that leave processes behind, or do not go.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "reference/hostile/peer.h"
#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr int kChildren = 40;

void ignore(int number) {
  ::signal(number, SIG_IGN);
}

// A grandchild that belongs to nobody, in a session of its own, which ignores SIGTERM.
void leave_orphan(bool holds_pipes) {
  const pid_t child = ::fork();
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ignore(SIGTERM);
  ignore(SIGHUP);
  if (!holds_pipes) {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  }
  stay();
}

// The same, whose first thread has ended: it looks as a process does that waits to be reaped.
void leave_headless() {
  const pid_t child = ::fork();
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  std::thread(stay).detach();
  ::syscall(SYS_exit, 0);
}

// Becomes another program, with nothing in its environment that tells where it came from.
void leave_stranger() {
  const pid_t child = ::fork();
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  std::array<char*, 1> nothing{nullptr};
  std::string sleep = "sleep";
  std::string seconds = "1000";
  std::array<char*, 3> words{sleep.data(), seconds.data(), nullptr};
  ::execve("/bin/sleep", words.data(), nothing.data());
  ::_exit(0);
}

std::vector<Peer> those_with_children() {
  return {
      {.name = "leaves-a-daemon",
       .does = "Starts a daemon that ignores SIGTERM, and is sound itself",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             leave_orphan(false);
             serve(stdio);
           }},
      {.name = "leaves-a-headless-daemon",
       .does = "Starts a daemon whose first thread ends, and is sound itself",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             leave_headless();
             serve(stdio);
           }},
      {.name = "leaves-a-stranger",
       .does = "Starts a daemon without its environment, and is sound itself",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             leave_stranger();
             serve(stdio);
           }},
      {.name = "leaves-the-pipes-open",
       .does = "Starts a daemon that holds its standard streams, and is sound itself",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             leave_orphan(true);
             serve(stdio);
           }},
      {.name = "dies-and-leaves-the-pipes-open",
       .does = "Ends after initialize, while a daemon of its holds its standard streams",
       .cause = "exit status 0|ended|nothing that came after it",
       .breaks = {"jsonrpc.request-answered-once", "ping.answered"},
       .stdio =
           [](Stdio& stdio) {
             leave_orphan(true);
             serve(stdio, [&](const wire::Message& message) -> bool {
               stdio.answer(message);
               ::_exit(0);
             });
           }},
      {.name = "has-forty-children",
       .does = "Starts 40 processes with each session, which do not end with it",
       .cause = "",
       .stdio =
           [](Stdio& stdio) {
             for (int i = 0; i < kChildren; ++i) {
               if (::fork() == 0) {
                 ignore(SIGTERM);
                 stay();
               }
             }
             serve(stdio);
           }},
  };
}

std::vector<Peer> those_that_stay() {
  return {
      {.name = "ignores-the-end-of-input",
       .does = "Is sound, but stays when its input has ended",
       .cause = "exit|input",
       .breaks = {"stdio.exits-on-eof"},
       .stdio =
           [](Stdio& stdio) {
             serve(stdio);
             stay();
           }},
      {.name = "ignores-sigterm",
       .does = "Is sound, but stays when its input has ended and when it is told to go",
       .cause = "exit|input",
       .breaks = {"stdio.exits-on-eof", "stdio.exits-on-sigterm"},
       .stdio =
           [](Stdio& stdio) {
             ignore(SIGTERM);
             serve(stdio);
             stay();
           }},
      {.name = "silent-and-ignores-sigterm",
       .does = "Says nothing, and ignores every signal that can be ignored",
       .cause = "did not answer initialize",
       .stdio =
           [](Stdio&) {
             for (int number = 1; number < NSIG; ++number) ignore(number);
             stay();
           }},
  };
}

}  // namespace

std::vector<Peer> child_peers() {
  std::vector<Peer> peers = those_with_children();
  for (Peer& peer : those_that_stay()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace assay::hostile
