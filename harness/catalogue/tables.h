// What the generator writes, as catalogue.cc sees it: packed, because a view of each text and its
// relocation would take four times the room in the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay::catalogue::tables {

// Where a text begins in texts(); it ends with a zero.
using Text = std::uint32_t;

struct PackedHolding {
  Text page;
  Text anchor;
  Text note;
  std::uint8_t revision;
  std::uint8_t level;
  std::uint8_t subject;
};

struct PackedRequirement {
  Text id;
  Text summary;
  Text capability;
  Text reason;
  Text unseen_of_server;
  Text unseen_of_client;
  Text part_judged;
  Text unexercised;
  Text hint;
  Text extension;
  Text needs;
  std::uint16_t added;
  std::uint8_t subject;
  std::uint8_t transport;
  std::uint8_t observe;
  std::uint8_t holdings;  // how many; those of all requirements follow each other
  bool is_implied;
  bool is_about_status;
};

std::string_view texts();
std::span<const PackedHolding> holdings();
std::span<const PackedRequirement> requirements();
std::string_view version();
std::string_view digest();

}  // namespace assay::catalogue::tables
