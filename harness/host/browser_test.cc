// The stand-in for a browser, as clients start it: BROWSER in their environment.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "harness/host/guest.h"
#include "reference/transport/http_listener.h"

namespace assay::harness {
namespace {

using std::chrono::seconds;
using transport::HttpHead;
using transport::HttpListener;
using transport::HttpReply;

// Redirects each request to `location`; with none it answers with a page.
class Site {
 public:
  explicit Site(std::string location)
      : location_(std::move(location)),
        listener_({}, [this](const HttpHead& request, std::string_view) {
          const std::lock_guard lock(mutex_);
          targets_.push_back(request.target);
          return location_.empty() ? HttpReply{200, {{"Content-Type", "text/html"}}, "ok", nullptr}
                                   : HttpReply{302, {{"Location", location_}}, "", nullptr};
        }) {
    EXPECT_EQ(listener_.start(), std::nullopt);
  }
  std::string url(const std::string& target) const {
    return "http://127.0.0.1:" + std::to_string(listener_.port()) + target;
  }
  std::vector<std::string> targets() {
    const std::lock_guard lock(mutex_);
    return targets_;
  }

 private:
  const std::string location_;
  std::mutex mutex_;  // guards targets_
  std::vector<std::string> targets_;
  HttpListener listener_;
};

int status_of_browser(const std::string& url) {
  Guest guest({ASSAY_PROGRAM, "browser", url}, {});
  const GuestEnd end = guest.run(seconds(30), {});
  EXPECT_EQ(end.kind, GuestEnd::Kind::kExited) << end.text();
  return end.exit.code;
}

TEST(Browser, FollowsARedirectToTheCallback) {
  Site callback("");
  Site server(callback.url("/callback?code=1"));
  EXPECT_EQ(status_of_browser(server.url("/authorize?a=b")), 0);
  EXPECT_EQ(server.targets(), (std::vector<std::string>{"/authorize?a=b"}));
  EXPECT_EQ(callback.targets(), (std::vector<std::string>{"/callback?code=1"}));
}

TEST(Browser, LeavesThisMachineForNobody) {
  Site server("http://elsewhere.example/callback?code=1");
  EXPECT_EQ(status_of_browser(server.url("/authorize")), 3);
  EXPECT_EQ(status_of_browser("http://elsewhere.example/authorize"), 3);
}

TEST(Browser, FollowsNoCircleForEver) {
  Site server("/authorize");
  EXPECT_EQ(status_of_browser(server.url("/authorize")), 3);
  EXPECT_EQ(server.targets().size(), 11u);
}

}  // namespace
}  // namespace assay::harness
