#include "harness/script/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <map>

#include "harness/script/capability.h"
#include "harness/script/json_member.h"
#include "harness/script/tool_words.h"

namespace assay::harness {
namespace {

struct ListMethod {
  std::string_view method;
  std::string_view member;
  std::string_view capability;
};

constexpr std::array kListMethods = {
    ListMethod{"tools/list", "tools", "tools"},
    ListMethod{"resources/list", "resources", "resources"},
    ListMethod{"resources/templates/list", "resourceTemplates", "resources"},
    ListMethod{"prompts/list", "prompts", "prompts"},
};

// The pages that a walk has read, to tell a long list from one that goes in circles.
class Walk {
 public:
  // Call it once for each page, after its items were added to the listing.
  void note(const Listing& listing, std::size_t begin, const Json& cursor) {
    const Page page{begin, listing.items.size(), cursor};
    const auto is_equal = [&](const Page& earlier) {
      const auto at = [&](std::size_t index) {
        return listing.items.begin() + static_cast<std::ptrdiff_t>(index);
      };
      return std::equal(at(earlier.begin), at(earlier.end), at(page.begin), at(page.end));
    };
    auto& alike = pages_[hash_of(listing, page)];
    for (const Page& earlier : alike) {
      if (!is_equal(earlier)) continue;
      has_repeated_ = has_repeated_ || page.begin < page.end;
      goes_in_circles_ = goes_in_circles_ || earlier.cursor == cursor;
    }
    alike.push_back(page);
  }
  // A page came again, with the same cursor for the next: so will that one.
  bool goes_in_circles() const { return goes_in_circles_; }
  // Items came again, whatever cursor followed them.
  bool has_repeated() const { return has_repeated_; }

 private:
  struct Page {
    std::size_t begin;  // of the listing's items
    std::size_t end;
    Json cursor;
  };

  static std::size_t hash_of(const Listing& listing, const Page& page) {
    std::size_t hash = page.end - page.begin;
    for (std::size_t i = page.begin; i < page.end; ++i) {
      hash = hash * 31 + std::hash<Json>()(listing.items[i]);
    }
    return hash;
  }

  std::map<std::size_t, std::vector<Page>> pages_;  // by their hash
  bool goes_in_circles_ = false;
  bool has_repeated_ = false;
};

// At least what a tree takes in memory.
std::size_t weight_of(const Json& json) {
  constexpr std::size_t kOfMember = 96;
  constexpr std::size_t kOfString = 48;
  std::size_t weight = 2 * sizeof(Json);
  if (json.is_string()) return weight + kOfString + json.get_ref<const std::string&>().size();
  if (json.is_array()) {
    for (const Json& item : json) weight += weight_of(item);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      weight += kOfMember + key.size() + weight_of(value);
  }
  return weight;
}

// False where there is no room for all of them.
bool keep_items(const Json& items, Listing& listing) {
  for (const Json& item : items) {
    const std::size_t bytes = listing.share->bytes() + weight_of(item);
    if (bytes > Survey::kMaxItemBytes || !listing.share->resize(bytes)) {
      listing.gap = fmt::format("only the first {} items of {} were kept: there were too many",
                                listing.items.size(), listing.method);
      // An answer that large is not kept either.
      listing.last_reply = Reply(Reply::Kind::kCutOff, {}, nullptr, 0);
      return false;
    }
    listing.items.push_back(item);
  }
  return true;
}

bool has_read_only_hint(const Json& tool) {
  return member(member(tool, "annotations"), "readOnlyHint") == true;
}

void read_listing(Connection& connection, Listing& listing) {
  const auto deadline = Clock::now() + Survey::kMaxTime;
  listing.share = std::make_shared<wire::Share>(connection.budget());
  Json params = nullptr;
  Walk walk;
  while (true) {
    const bool is_too_long = listing.pages >= Survey::kMaxPages ||
                             listing.items.size() >= Survey::kMaxItems || Clock::now() >= deadline;
    if (is_too_long) {
      (walk.has_repeated() ? listing.is_endless : listing.is_cut) = true;
      return;
    }
    const Reply reply = connection.request(listing.method, params);
    listing.last_reply = reply;
    if (reply.kind() == Reply::Kind::kCutOff) {
      listing.gap = fmt::format("{}: {}", listing.method, connection.cut_off().value_or(""));
    }
    const Json& result = reply.result();
    if (!result.is_object() || !result.contains(listing.member) ||
        !result[listing.member].is_array()) {
      return;
    }
    ++listing.pages;
    const std::size_t begin = listing.items.size();
    if (!keep_items(result[listing.member], listing)) return;
    const Json cursor = result.value("nextCursor", Json());
    if (!cursor.is_string()) {
      listing.is_complete = true;
      return;
    }
    walk.note(listing, begin, cursor);
    if (walk.goes_in_circles()) {
      listing.is_endless = true;
      return;
    }
    params = {{"cursor", cursor}};
  }
}

}  // namespace

ToolPolicy ToolPolicy::parse(std::string_view text) {
  if (text == "readonly") return {Kind::kReadOnly, {}, {}};
  if (text == "safe") return {Kind::kSafe, {}, {}};
  if (text == "all") return {Kind::kAll, {}, {}};
  if (text == "none") return {Kind::kNone, {}, {}};
  ToolPolicy policy{Kind::kNamed, {}, {}};
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (comma != 0) policy.names.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return policy;
}

bool ToolPolicy::allows(const Json& tool) const {
  if (kind == Kind::kNone || !tool.is_object()) return false;
  const Json name = tool.value("name", Json());
  if (kind == Kind::kNamed) {
    return name.is_string() && std::find(names.begin(), names.end(), name) != names.end();
  }
  const KnownTool* described =
      name.is_string() ? known.tool(name.get_ref<const std::string&>()) : nullptr;
  if (described != nullptr) return described->may_be_called;
  if (kind == Kind::kAll) return true;
  if (!name.is_string()) return false;
  return has_read_only_hint(tool) || (kind == Kind::kSafe && says_it_only_reads(tool));
}

bool ToolPolicy::allows_for_its_words(const Json& tool) const {
  return kind == Kind::kSafe && !has_read_only_hint(tool) &&
         known.tool(text_member(tool, "name")) == nullptr && allows(tool);
}

Listing Survey::read(Connection& connection, std::string_view method) {
  const auto known =
      std::find_if(kListMethods.begin(), kListMethods.end(),
                   [&](const ListMethod& candidate) { return candidate.method == method; });
  assert(known != kListMethods.end());
  Listing listing;
  listing.method = known->method;
  listing.member = known->member;
  listing.capability = known->capability;
  listing.is_declared = connection.has_capability(known->capability);
  if (listing.is_declared) read_listing(connection, listing);
  return listing;
}

Survey Survey::take(Connection& connection) {
  Survey survey;
  survey.server_ = connection.server();
  for (const ListMethod& method : kListMethods) {
    Listing listing;
    listing.method = method.method;
    listing.member = method.member;
    listing.capability = method.capability;
    listing.is_declared = connection.has_capability(method.capability);
    survey.listings_->push_back(std::move(listing));
  }
  survey.take_rest(connection);
  return survey;
}

void Survey::take_rest(Connection& connection) {
  bool is_any_answered = false;
  for (Listing& listing : *listings_) {
    if (listing.last_reply) {
      is_any_answered = is_any_answered || listing.last_reply->is_answered();
      continue;
    }
    if (!listing.is_declared) continue;
    read_listing(connection, listing);
    if (listing.last_reply->kind() == Reply::Kind::kGone || connection.cut_off()) return;
    is_any_answered = is_any_answered || listing.last_reply->is_answered();
    if (!is_any_answered) break;
  }
  if (is_any_answered) return;
  const Reply ping = connection.probe();
  if (!ping.is_answered()) {
    unanswered_ping_ = ping;
  } else if (!is_complete()) {
    // It is alive: its lists are what it does not answer.
    for (Listing& listing : *listings_) {
      if (listing.is_declared && !listing.last_reply) read_listing(connection, listing);
    }
  }
}

bool Survey::is_complete() const {
  return std::all_of(listings_->begin(), listings_->end(), [](const Listing& listing) {
    return !listing.is_declared || listing.last_reply;
  });
}

bool Survey::may_declare(std::string_view capability) const {
  return server_.is_null() || declares(server_, capability);
}

std::optional<std::string> Survey::gap() const {
  for (const Listing& listing : *listings_) {
    if (!listing.gap.empty()) return listing.gap;
  }
  return std::nullopt;
}

const Listing& Survey::listing(std::string_view method) const {
  const auto found = std::find_if(listings_->begin(), listings_->end(),
                                  [&](const Listing& listing) { return listing.method == method; });
  assert(found != listings_->end());
  return *found;
}

const Json* Survey::find(const Listing& listing, std::string_view key, std::string_view value) {
  for (const Json& item : listing.items) {
    if (item.is_object() && item.value(std::string(key), Json()) == value) return &item;
  }
  return nullptr;
}

}  // namespace assay::harness
