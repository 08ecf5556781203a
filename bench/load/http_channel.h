// A keep-alive connection to a Streamable HTTP endpoint, with the sessions that take turns on it.
//
// Specification: basic/transports/streamable-http. Plain HTTP/1.1; one request at a time.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/load/channel.h"
#include "bench/load/request_text.h"
#include "reference/transport/client_transport.h"
#include "reference/transport/unique_fd.h"
#include "reference/wire/http.h"
#include "reference/wire/sse.h"

namespace assay::bench {

// Where to connect to: looked up once.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
std::variant<Address, transport::Failure> look_up(const transport::HttpUrl& url);

class HttpChannel : public Channel {
 public:
  struct Setting {
    HttpSetting http;
    const Mix* mix = nullptr;
    Address address;
    std::size_t sessions = 1;
    bool is_plain = false;  // no handshake, and answers are judged by their status alone
  };
  // All arguments outlive it.
  HttpChannel(Setting setting, Poller& poller, std::uint32_t number, ChannelOwner& owner);

  void start() override;
  void on_event(const Poller::Event& event) override;
  void tick(std::uint64_t oldest) override;
  // A stream may go on after its answer has come.
  bool has_room() const override { return !is_busy_ && pending_.has_room(); }
  std::size_t pending() const override { return pending_.count(); }
  void send(const PendingRequest& request) override;
  void flush() override;

 private:
  enum class Step { kInitializing, kConfirming, kRequests };

  void connect();
  void disconnect(std::string_view trouble);
  void watch_for_writing(bool is_wanted);
  void read();
  bool take_event(wire::HttpParser::Event event);
  void begin_answer();
  void take_body(std::string_view piece);
  void end_answer();
  void end_handshake_step();
  void begin_session();
  void write(std::string_view bytes);
  void take_message(std::string_view message);
  void give(std::string_view trouble);
  void add_session(const std::string& id);

  const Setting setting_;
  Poller& poller_;
  const std::uint32_t number_;
  ChannelOwner& owner_;

  transport::UniqueFd socket_;
  std::uint64_t connections_ = 0;  // opened so far
  bool waits_to_write_ = false;
  unsigned failures_ = 0;  // to connect, one after the other
  std::string output_;     // not yet sent
  std::size_t written_ = 0;
  std::vector<char> input_;
  wire::HttpParser parser_;
  bool is_in_answer_ = false;     // from its head to its end
  bool is_event_stream_ = false;  // that answer
  wire::SseParser events_;
  std::string body_;      // of an answer that came in several pieces
  std::uint64_t at_ = 0;  // when the bytes at hand arrived

  Step step_ = Step::kInitializing;
  std::size_t opened_ = 0;  // sessions
  std::string session_;     // the id of the one being opened
  Pending pending_{1};
  std::uint64_t current_ = 0;  // the id under way
  bool is_busy_ = false;       // with an exchange
  std::uint64_t busy_since_ = 0;
  std::string trouble_;  // with the answer under way
  // One row per session, one text per entry of the mix.
  std::vector<std::vector<RequestText>> texts_;
  std::size_t turn_ = 0;  // the session whose turn it is
};

}  // namespace assay::bench
