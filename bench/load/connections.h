// The connections of a load, before they are started.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/load/channel.h"
#include "bench/load/http_channel.h"
#include "bench/load/load.h"
#include "bench/load/stdio_channel.h"

namespace assay::bench {

struct Connections {
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<StdioChannel*> children;  // those of `channels` that start a process
};

// `address` is that of the URL, if there is one. All arguments outlive the connections.
Connections make_connections(const LoadOptions& options, const std::optional<Address>& address,
                             Poller& poller, ChannelOwner& owner);

}  // namespace assay::bench
