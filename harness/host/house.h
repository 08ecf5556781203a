// Where a client finds the hosted server: how it is told, and what passed there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/play.h"
#include "harness/runner/recorded_session.h"
#include "reference/model/revision.h"
#include "reference/transport/unique_fd.h"
#include "reports/vault.h"

namespace assay::harness {

class Hosted;

struct Recorded {
  std::vector<RecordedSession> sessions;  // as they began
  // What passed beside them, in the same time: metadata, and an authorization server.
  RecordedSession beside;
  std::string shortfall;     // why less was recorded than passed; empty if all was
  bool was_reached = false;  // something connected
};

class House {
 public:
  virtual ~House() = default;
  // Otherwise: why it cannot, in one sentence.
  virtual std::optional<std::string> start() = 0;
  // Once started.
  virtual Venue venue() { return {}; }
  // Once started: the client's command with the way to the server in it.
  virtual std::vector<std::string> told(std::vector<std::string> words) const = 0;
  // The client has ended, and what it has started may still be there.
  virtual void take_client_end() {}
  // Ends all sessions from the server's side, whatever the client does, and takes no more. What
  // passed is kept for close().
  virtual void hang_up() = 0;
  // Ends all sessions. Call it once, when the client is gone.
  virtual Recorded close() = 0;
};

// Takes what was refused for want of a token out of the sessions, and puts it beside them. What is
// left then has a gap: a client may cancel what was refused, and was sent all the same.
void set_refused_aside(Recorded& recorded);

struct HouseOptions {
  std::vector<model::Revision> revisions;  // over HTTP: those that are served, oldest first
  std::string relay_program;               // over stdio: mcp-assay, which the client starts
  std::shared_ptr<reports::Vault> vault;
  int port = 0;  // over HTTP; 0: a free one
  // Over HTTP: pages of this origin may be the client; empty: none may.
  std::string page_origin = {};
  // Told of what passes while it passes, one call at a time. Over stdio each process that the
  // client starts has a number of its own, from 1 on; over HTTP all is 0. May be empty.
  std::function<void(int process, const EventPtr&)> on_event = nullptr;
  // Over stdio: takes what passed at a process that has ended, once another one comes, so that any
  // number may come one after another. May be empty; what it has not taken, close() gives.
  std::function<void(RecordedSession)> on_session = nullptr;
};

// Serves what is hosted. It outlives the house.
std::unique_ptr<House> make_http_house(Hosted& hosted, HouseOptions options);
std::unique_ptr<House> make_stdio_house(Hosted& hosted, HouseOptions options);

// A folder of our user's, with a file in it that names the server, as clients' configurations do:
// {"mcpServers": {"assay": {...}}}. Gone with the object.
class ServerFolder {
 public:
  ServerFolder() = default;
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  // False if there can be none.
  bool make();
  std::string path_of(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string config_path() const { return path_of("servers.json"); }
  void write_config(const Json& server) const;

 private:
  std::string path_;
};

// What stands in a client's command for the way to its server: the path of that file, the command
// that starts a server over stdio, and a URL.
inline constexpr std::string_view kConfigMark = "{config}";
inline constexpr std::string_view kServerMark = "{server}";
inline constexpr std::string_view kUrlMark = "{url}";

// Puts `value` in place of each `mark` in the word. True if it stood there.
bool replace_mark(std::string& word, std::string_view mark, const std::string& value);

// The client's command with the way to the server in it: `relay`, as words of its own or quoted
// within one, and the configuration file, each where it is wanted. Where neither is, the relay
// stands at the end.
std::vector<std::string> told_of_relay(std::vector<std::string> words,
                                       const std::vector<std::string>& relay,
                                       const std::string& config_path);
// The same with a URL in place of the relay.
std::vector<std::string> told_of_url(std::vector<std::string> words, const std::string& url,
                                     const std::string& config_path);

// A Unix socket at that path, at which relays are accepted; not open where there can be none.
transport::UniqueFd listen_at(const std::string& path);

}  // namespace assay::harness
