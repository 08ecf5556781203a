// hostile_peer NAME: a server to be attacked by. Without a name it lists them.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "reference/hostile/peer.h"

namespace {

using assay::hostile::Peer;

int list(const std::vector<Peer>& peers) {
  for (const Peer& peer : peers) {
    fmt::print("{:34} {:6} {}{}\n", peer.name, peer.is_over_http() ? "http" : "stdio", peer.does,
               peer.is_sound() ? " (sound)" : "");
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<Peer> peers = assay::hostile::all_peers();
  if (count < 2) return list(peers);
  const std::string_view name = words[1];
  const auto peer = std::find_if(peers.begin(), peers.end(),
                                 [name](const Peer& each) { return each.name == name; });
  if (peer == peers.end()) {
    fmt::print(stderr, "hostile_peer: no peer is called '{}'\n", name);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (peer->is_over_http()) assay::hostile::serve_web(peer->web());
  assay::hostile::Stdio stdio;
  peer->stdio(stdio);
  return 0;
}
