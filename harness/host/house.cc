#include "harness/host/house.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "harness/recording/session_builder.h"
#include "reports/escape.h"

namespace assay::harness {
void set_refused_aside(Recorded& recorded) {
  std::set<transport::Lane> refused;
  std::vector<EventPtr> aside = std::move(recorded.beside.events);
  for (const RecordedSession& session : recorded.sessions) {
    for (const EventPtr& event : session.events) {
      const transport::HttpHead* head = event->observation.http();
      if (head != nullptr && (head->status == 401 || head->status == 403)) {
        refused.insert(event->observation.lane);
      }
    }
  }
  for (RecordedSession& session : recorded.sessions) {
    SessionBuilder kept(nullptr, session.transport);
    for (const EventPtr& event : std::exchange(session.events, {})) {
      if (refused.contains(event->observation.lane)) {
        aside.push_back(event);
        session.gap = "what was refused because it had no token is not looked at";
      } else {
        kept.add(event);
      }
    }
    session.events = kept.finish(true).events;
  }
  std::erase_if(recorded.sessions, [](const RecordedSession& each) { return each.events.empty(); });
  std::stable_sort(aside.begin(), aside.end(),
                   [](const EventPtr& a, const EventPtr& b) { return a->at < b->at; });
  SessionBuilder beside(nullptr, TransportKind::kHttp);
  for (const EventPtr& event : aside) beside.add(event);
  recorded.beside = beside.finish(true);
}

bool replace_mark(std::string& word, std::string_view mark, const std::string& value) {
  bool is_there = false;
  for (std::size_t at = word.find(mark); at != std::string::npos; at = word.find(mark, at)) {
    word.replace(at, mark.size(), value);
    at += value.size();
    is_there = true;
  }
  return is_there;
}

std::vector<std::string> told_of_relay(std::vector<std::string> words,
                                       const std::vector<std::string>& relay,
                                       const std::string& config_path) {
  std::string line;
  for (const std::string& word : relay) line += (line.empty() ? "" : " ") + reports::shell_word(word);
  std::vector<std::string> out;
  bool is_placed = false;
  for (std::string& word : words) {
    if (word == kServerMark) {
      out.insert(out.end(), relay.begin(), relay.end());
      is_placed = true;
      continue;
    }
    is_placed = replace_mark(word, kServerMark, line) || is_placed;
    is_placed = replace_mark(word, kConfigMark, config_path) || is_placed;
    out.push_back(std::move(word));
  }
  if (!is_placed) out.insert(out.end(), relay.begin(), relay.end());
  return out;
}

std::vector<std::string> told_of_url(std::vector<std::string> words, const std::string& url,
                                     const std::string& config_path) {
  bool is_placed = false;
  for (std::string& word : words) {
    is_placed = replace_mark(word, kUrlMark, url) || is_placed;
    is_placed = replace_mark(word, kConfigMark, config_path) || is_placed;
  }
  if (!is_placed) words.push_back(url);
  return words;
}

transport::UniqueFd listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  transport::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (!listener.is_open() || ::bind(listener.get(), where, sizeof address) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return {};
  }
  return listener;
}

ServerFolder::~ServerFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

bool ServerFolder::make() {
  std::string name = (std::filesystem::temp_directory_path() / "mcp-assay-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return false;
  path_ = name;
  return true;
}

void ServerFolder::write_config(const Json& server) const {
  const Json config = {{"mcpServers", {{"assay", server}}}};
  std::ofstream(config_path()) << config.dump(2) << '\n';
}

}  // namespace assay::harness
