#include "bench/load/connections.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace assay::bench {

Connections make_connections(const LoadOptions& options, const std::optional<Address>& address,
                             Poller& poller, ChannelOwner& owner) {
  Connections made;
  if (!options.url) {
    for (std::uint32_t i = 0; i < options.connections; ++i) {
      auto channel = std::make_unique<StdioChannel>(
          StdioChannel::Setting{.spawn = {options.command, {}, options.environment},
                                .mix = &options.mix,
                                .revision = options.revision,
                                .pipeline = options.pipeline,
                                .is_plain = options.is_plain},
          poller, i, owner);
      made.children.push_back(channel.get());
      made.channels.push_back(std::move(channel));
    }
    return made;
  }
  const std::size_t sessions = std::max(options.sessions, options.connections);
  for (std::uint32_t i = 0; i < options.connections; ++i) {
    const bool has_one_more = i < sessions % options.connections;
    made.channels.push_back(std::make_unique<HttpChannel>(
        HttpChannel::Setting{.http = {&*options.url, &options.headers, options.revision},
                             .mix = &options.mix,
                             .address = *address,
                             .sessions = sessions / options.connections + (has_one_more ? 1 : 0),
                             .is_plain = options.is_plain},
        poller, i, owner));
  }
  return made;
}

}  // namespace assay::bench
