// A server that is our child, spoken to through its standard input and output.
//
// Specification: basic/transports/stdio. Requests may be pipelined; answers may come in any order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/load/channel.h"
#include "bench/load/request_text.h"
#include "reference/transport/spawn.h"
#include "reference/wire/line_framer.h"

namespace assay::bench {

class StdioChannel : public Channel {
 public:
  struct Setting {
    transport::SpawnOptions spawn;
    const Mix* mix = nullptr;
    model::Revision revision = model::Revision::v2025_11_25;
    std::size_t pipeline = 1;
    bool is_plain = false;  // no handshake, and any line is the answer to the oldest request
  };
  // All arguments outlive it.
  StdioChannel(Setting setting, Poller& poller, std::uint32_t number, ChannelOwner& owner);
  ~StdioChannel() override;  // ends the child and all that it started

  void start() override;
  void on_event(const Poller::Event& event) override;
  void tick(std::uint64_t oldest) override;
  bool has_room() const override { return pending_.has_room() && !waits_to_write_; }
  std::size_t pending() const override { return pending_.count(); }
  void send(const PendingRequest& request) override;
  void flush() override;

  pid_t pid() const { return child_.pid; }
  // Its input is closed, so that it may end by itself.
  void close_input();

 private:
  void read_output();
  void read_errors();
  void take_line(std::string_view line);
  void take_answer(std::string_view line);
  void answer(const std::string& id, bool is_ping);
  void lose_child();
  void watch_for_writing(bool is_wanted);

  const Setting setting_;
  Poller& poller_;
  const std::uint32_t number_;
  ChannelOwner& owner_;
  transport::Spawned child_;
  std::vector<char> buffer_;
  wire::LineFramer framer_;
  std::string output_;  // not yet written
  std::size_t written_ = 0;
  bool waits_to_write_ = false;
  std::string last_words_;  // the end of its standard error
  std::uint64_t at_ = 0;    // when the bytes at hand arrived
  Pending pending_;
  std::vector<RequestText> texts_;
};

}  // namespace assay::bench
