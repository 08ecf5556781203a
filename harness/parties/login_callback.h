// Where a browser comes back to when somebody has logged in (RFC 8252): a page on this machine, for
// as long as it is waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/transport/http_listener.h"
#include "reference/wire/form.h"

namespace assay::cli {

// Thread safety: one thread uses it.
class LoginCallback {
 public:
  // `port` 0: any free one.
  explicit LoginCallback(int port = 0);
  ~LoginCallback() { listener_.stop(); }
  LoginCallback(const LoginCallback&) = delete;
  LoginCallback& operator=(const LoginCallback&) = delete;

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start() { return listener_.start(); }
  // Once started: the redirect URI.
  std::string url() const;
  // From now on the response with this state is taken, and no other.
  void expect(const std::string& state);
  // It; nothing where none came in time, or the wait was ended.
  std::optional<wire::Form> wait(std::chrono::milliseconds limit, const std::stop_token& stop);

 private:
  transport::HttpReply handle(const transport::HttpHead& request);

  std::mutex mutex_;  // guards the two below
  std::string state_;
  std::optional<wire::Form> response_;
  std::condition_variable_any changed_;
  transport::HttpListener listener_;  // the last: its threads use the others
};

// Asks a person to log in.
class Browsing {
 public:
  Browsing(LoginCallback& callback, std::stop_token stop)
      : callback_(callback), stop_(std::move(stop)) {}

  bool has_asked() const { return has_asked_; }
  // Opens the URL of an authorization request, and waits for the response with that state; or says
  // why there is none.
  std::variant<wire::Form, std::string> operator()(const std::string& url,
                                                   const std::string& state);

 private:
  LoginCallback& callback_;
  const std::stop_token stop_;
  bool has_asked_ = false;
};

// The words of the command that opens the URL, by what BROWSER says: "firefox", "open -a %s". Of
// several, with colons between them, the first counts; xdg-open where it says nothing.
std::vector<std::string> browser_command(const char* browser, const std::string& url);
// Starts it, and does not wait for it. Where nothing can be opened nothing happens: the person has
// been told the URL.
void open_browser(const std::vector<std::string>& command);

}  // namespace assay::cli
