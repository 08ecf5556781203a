// What a target declares and lists, asked once for each run: what scenarios choose their means
// from.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/profile.h"
#include "harness/script/connection.h"

namespace assay::harness {

// Which tools may be called. Tools are code that acts on the world.
struct ToolPolicy {
  enum class Kind { kReadOnly, kSafe, kAll, kNone, kNamed };
  Kind kind = Kind::kReadOnly;
  std::vector<std::string> names;  // for kNamed
  Profile known;                   // what is known of the target's tools

  // "all", "none", "readonly", "safe", or names separated by commas.
  static ToolPolicy parse(std::string_view text);
  // May this tool, as tools/list shows it, be called? Tools that the profile knows may under
  // kReadOnly, and those that it forbids only if they are named. kSafe allows those of kReadOnly,
  // and others whose words say that they only read (tool_words.h).
  bool allows(const Json& tool) const;
  // Whether nothing but its words lets it be called.
  bool allows_for_its_words(const Json& tool) const;
};

// One of the list methods, and what it gave.
struct Listing {
  std::string method;      // "tools/list"
  std::string member;      // "tools"
  std::string capability;  // "tools"
  bool is_declared = false;
  bool is_complete = false;  // every page came, each with an array under `member`
  bool is_endless = false;   // the walk goes in circles: a page came again
  bool is_cut = false;       // longer than the harness reads: nobody knows its end
  std::size_t pages = 0;
  std::vector<Json> items;
  std::optional<Reply> last_reply;
  // Why there are items that were not kept, or not read; empty where there are none.
  std::string gap;
  std::shared_ptr<wire::Share> share;  // of the target's budget, for the items
};

// Copies share what they hold: it is filled before anybody copies it.
class Survey {
 public:
  // Bounds on what one listing may make us read.
  static constexpr std::size_t kMaxPages = 500;
  static constexpr std::size_t kMaxItems = 20'000;
  static constexpr std::chrono::seconds kMaxTime{30};
  // What the items of one listing may take in memory.
  static constexpr std::size_t kMaxItemBytes = 6u << 20;

  // Reads the lists that the target declares, on an initialized connection. Stops where the
  // connection ends, or where the target answers neither a list nor a ping.
  static Survey take(Connection& connection);
  // Goes on with what has not been asked for yet, on another connection.
  void take_rest(Connection& connection);
  // Every list that is declared has been asked for.
  bool is_complete() const;
  // The target answered no list, nor a ping behind it; that ping's reply.
  const std::optional<Reply>& unanswered_ping() const { return unanswered_ping_; }
  // Why part of a list is not known; nothing where all that is declared is. A rule that could not
  // be exercised for want of a tool, say, is then inconclusive.
  std::optional<std::string> gap() const;
  // Reads one of the lists anew, as it is now: "tools/list".
  static Listing read(Connection& connection, std::string_view method);

  // False if the target did not declare the capability ("resources.subscribe") to the connection
  // that was surveyed; true as well where none was.
  bool may_declare(std::string_view capability) const;
  const Listing& tools() const { return listing("tools/list"); }
  const Listing& resources() const { return listing("resources/list"); }
  const Listing& resource_templates() const { return listing("resources/templates/list"); }
  const Listing& prompts() const { return listing("prompts/list"); }
  const std::vector<Listing>& listings() const { return *listings_; }
  // The tool, prompt (by name) or resource (by uri) of that name; null if it is not listed.
  const Json* tool(std::string_view name) const { return find(tools(), "name", name); }
  const Json* prompt(std::string_view name) const { return find(prompts(), "name", name); }
  const Json* resource(std::string_view uri) const { return find(resources(), "uri", uri); }

 private:
  const Listing& listing(std::string_view method) const;
  static const Json* find(const Listing& listing, std::string_view key, std::string_view value);

  std::shared_ptr<std::vector<Listing>> listings_ = std::make_shared<std::vector<Listing>>();
  std::optional<Reply> unanswered_ping_;
  Json server_;  // as it introduced itself; null: not surveyed
};

}  // namespace assay::harness
