#include <utility>

#include "reference/hostile/peer.h"

namespace assay::hostile {

std::vector<Peer> all_peers() {
  std::vector<Peer> all;
  for (const auto topic :
       {sound_peers, flood_peers, silent_peers, bomb_peers, list_peers, version_peers, dying_peers,
        child_peers, web_flood_peers, web_silent_peers, web_bomb_peers}) {
    for (Peer& peer : topic()) all.push_back(std::move(peer));
  }
  return all;
}

}  // namespace assay::hostile
