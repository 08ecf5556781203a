#include "harness/parties/login_callback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "harness/frame/run_program.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

constexpr const char* kCallbackPath = "/callback";
// A person reads, types a password, and looks for a telephone.
constexpr std::chrono::minutes kPerson{5};

transport::HttpListener::Options callback_options(int port) {
  transport::HttpListener::Options options;
  options.port = port;
  options.threads = 1;
  options.most_connections = 16;
  options.most_body_bytes = 4096;
  return options;
}

transport::HttpReply page(int status, std::string_view text) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-store"}},
          "<!doctype html><title>mcp-assay</title><p>" + std::string(text) + "</p>",
          nullptr};
}

}  // namespace

LoginCallback::LoginCallback(int port)
    : listener_(callback_options(port),
                [this](const transport::HttpHead& request, std::string_view /*body*/) {
                  return handle(request);
                }) {}

std::string LoginCallback::url() const {
  return "http://127.0.0.1:" + std::to_string(listener_.port()) + kCallbackPath;
}

void LoginCallback::expect(const std::string& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  response_.reset();
}

transport::HttpReply LoginCallback::handle(const transport::HttpHead& request) {
  if (request.method != "GET" || wire::path_in(request.target) != kCallbackPath) {
    return page(404, "There is nothing here.");
  }
  wire::Form form = wire::read_form(wire::query_in(request.target));
  const std::lock_guard lock(mutex_);
  if (state_.empty() || wire::form_value(form, "state") != state_) {
    return page(400, "This is not the login that is waited for.");
  }
  const bool has_code = wire::form_value(form, "code").has_value();
  if (!response_) response_ = std::move(form);
  changed_.notify_all();
  return page(200, has_code ? "You are logged in, and can close this page."
                            : "The login was refused; the terminal tells more.");
}

std::optional<wire::Form> LoginCallback::wait(std::chrono::milliseconds limit,
                                              const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, limit, [this] { return response_.has_value(); });
  return response_;
}

std::variant<wire::Form, std::string> Browsing::operator()(const std::string& url,
                                                           const std::string& state) {
  has_asked_ = true;
  callback_.expect(state);
  fmt::print(stderr,
             "mcp-assay: log in at this address, if no browser opens by itself:\n\n  {}\n\n",
             reports::printable_line(url));
  open_browser(browser_command(std::getenv("BROWSER"), url));
  if (auto response = callback_.wait(kPerson, stop_)) return *std::move(response);
  return std::string(stop_.stop_requested() ? "interrupted while somebody was to log in"
                                            : "no user logged in within 5 minutes");
}

std::vector<std::string> browser_command(const char* browser, const std::string& url) {
  std::string_view text = browser == nullptr ? "" : browser;
  text = text.substr(0, text.find(':'));
  std::vector<std::string> words;
  bool has_place = false;
  while (!text.empty()) {
    std::string word(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (const std::size_t at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, url);
      has_place = true;
    }
    words.push_back(std::move(word));
  }
  if (words.empty()) words.emplace_back("xdg-open");
  if (!has_place) words.push_back(url);
  return words;
}

void open_browser(const std::vector<std::string>& command) {
  // The shell starts it and ends; a browser that stays open is nobody's child of ours.
  std::vector<std::string> words = {"/bin/sh", "-c", R"("$@" </dev/null >/dev/null 2>&1 &)", "sh"};
  words.insert(words.end(), command.begin(), command.end());
  // Ctrl-C is meant for us.
  (void)run_program("/bin/sh", std::move(words), /*is_apart=*/true);
}

}  // namespace assay::cli
