// The table of hostile peers: servers that do their worst to whoever judges, fuzzes or measures
// them, and a few that only look as if they did.
//
// Each is an entry of a few lines in the table of its topic. What it breaks on purpose is named, so
// that nobody is accused of anything else; a peer without a cause is sound, and has to pass.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/hostile/stdio.h"
#include "reference/hostile/web.h"

namespace assay::hostile {

// How a peer over HTTP begins what it says on standard error when its client has been made to do
// what it must not.
inline constexpr std::string_view kOutwitted = "hostile_peer outwitted its client:";

struct Peer {
  // Stable, in words joined by hyphens.
  std::string_view name;
  // In one line: "Sends progress for ever".
  std::string_view does;
  // What the report of `mcp-assay server` has to say of it: one of these phrases, separated by '|'.
  // Empty: the peer is sound.
  std::string_view cause;
  // Ids of the requirements that it breaks; no other may be called violated.
  std::vector<std::string_view> breaks = {};

  // How it is run: exactly one of these. The first returns when the peer ends; the second makes
  // what each connection is served with.
  void (*stdio)(Stdio&) = nullptr;
  WebHooks (*web)() = nullptr;

  bool is_sound() const { return cause.empty(); }
  bool is_over_http() const { return web != nullptr; }
};

// Of every topic.
std::vector<Peer> all_peers();

// One topic each.
std::vector<Peer> sound_peers();
std::vector<Peer> flood_peers();
std::vector<Peer> silent_peers();
std::vector<Peer> bomb_peers();
std::vector<Peer> list_peers();
std::vector<Peer> version_peers();
std::vector<Peer> dying_peers();
std::vector<Peer> child_peers();
std::vector<Peer> web_flood_peers();
std::vector<Peer> web_silent_peers();
std::vector<Peer> web_bomb_peers();

}  // namespace assay::hostile
