// mcp-assay browser: what a client under test opens in place of a browser.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "harness/frame/command.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/loopback.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

constexpr int kMostRedirects = 10;
constexpr std::chrono::seconds kPatience{10};

class BrowserCommand : public Command {
 public:
  std::string_view name() const override { return "browser"; }
  std::string_view summary() const override {
    return "Stand in for the browser in which a client under test logs in";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("URL", url_, true, "The page that the client opens");
    arguments.footer(
        "'client' sets BROWSER to this command, so that a client that opens a browser can log in "
        "without a\n"
        "person. It follows redirects on this machine, to the client's callback, and contacts no "
        "other host.\n"
        "\n"
        "Exit status: 0 the last page was there, 3 it was not, or a redirect leads to another "
        "host.");
  }

  int run() override {
    auto place = transport::HttpUrl::parse(url_);
    for (int i = 0; i <= kMostRedirects; ++i) {
      const auto* url = std::get_if<transport::HttpUrl>(&place);
      if (url == nullptr) return stop(std::get<transport::Failure>(place).detail);
      if (!transport::is_loopback(*url)) return stop("the way leads off this machine");
      transport::HttpMessage message;
      message.method = "GET";
      message.headers = {{"Accept", "text/html, */*"}};
      const auto answer = transport::fetch(url->text(), std::move(message), kPatience);
      const auto* page = std::get_if<transport::Fetched>(&answer);
      if (page == nullptr) return stop(std::get<transport::Failure>(answer).detail);
      const auto location = transport::find_header(page->headers, "Location");
      if (page->status / 100 != 3 || !location) {
        return page->status / 100 == 2 ? kConformant : stop(fmt::format("HTTP {}", page->status));
      }
      place = url->resolve(*location);
    }
    return stop("there is no end of redirects");
  }

 private:
  static int stop(const std::string& why) {
    fmt::print(stderr, "mcp-assay browser: {}\n", reports::printable_line(why));
    return kNotTested;
  }

  std::string url_;
};

const CommandRegistration<BrowserCommand> kBrowserCommandRegistration;

}  // namespace
}  // namespace assay::cli
