#include "bench/load/channel.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <variant>

#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::bench {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}

Poller::Poller() : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {}

Poller::~Poller() {
  ::close(descriptor_);
}

namespace {

epoll_event to_epoll(std::uint32_t events, Poller::Key key) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = std::uint64_t{key.channel} << 32 | key.what;
  return event;
}

}  // namespace

void Poller::watch(int descriptor, std::uint32_t events, Key key) {
  epoll_event event = to_epoll(events, key);
  ::epoll_ctl(descriptor_, EPOLL_CTL_ADD, descriptor, &event);
}

void Poller::change(int descriptor, std::uint32_t events, Key key) {
  epoll_event event = to_epoll(events, key);
  ::epoll_ctl(descriptor_, EPOLL_CTL_MOD, descriptor, &event);
}

void Poller::forget(int descriptor) {
  ::epoll_ctl(descriptor_, EPOLL_CTL_DEL, descriptor, nullptr);
}

std::size_t Poller::wait(std::uint64_t nanoseconds, Event* events) {
  std::array<epoll_event, kMostEvents> found;
  const timespec patience{static_cast<time_t>(nanoseconds / 1'000'000'000),
                          static_cast<long>(nanoseconds % 1'000'000'000)};
  const int count = ::epoll_pwait2(descriptor_, found.data(), kMostEvents, &patience, nullptr);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = found[static_cast<std::size_t>(i)];
    events[i] = {{static_cast<std::uint32_t>(event.data.u64 >> 32),
                  static_cast<std::uint32_t>(event.data.u64)},
                 event.events};
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool Channel::take_initialize_answer(std::string_view bytes) {
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (!message || message->kind() != wire::MessageKind::kResult || !message->result().is_object()) {
    die(fmt::format("the server did not accept initialize: {}",
                    reports::printable_line(reports::cut(bytes, 200))));
    return false;
  }
  const auto text = [](const Json& object, const char* key) -> std::string {
    if (!object.is_object()) return "";
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const Json& result = message->result();
  revision_ = text(result, "protocolVersion");
  const auto info = result.find("serverInfo");
  if (info != result.end()) server_name_ = text(*info, "name") + " " + text(*info, "version");
  return true;
}

void Channel::die_without_socket(std::string_view what) {
  const int error = errno;
  lacks_sockets_ = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
                   error == EADDRNOTAVAIL;
  die(fmt::format("{}: {}", what, std::strerror(error)));
}

}  // namespace assay::bench
