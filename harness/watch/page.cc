#include "harness/watch/page.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "harness/watch/page_files.h"
#include "reference/transport/http_guard.h"
#include "reference/transport/random_id.h"
#include "reports/digest.h"

namespace assay::harness {
namespace {

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Json as_json(const WatchedSession& session) {
  return {{"number", session.number},     {"name", session.name},
          {"target", session.target},     {"transport", session.transport},
          {"messages", session.messages}, {"violations", session.violations},
          {"left_out", session.left_out}, {"has_ended", session.has_ended}};
}

// One viewer's stream.
class NewsStream : public transport::BodyStream {
 public:
  explicit NewsStream(WatchBoard& board) : board_(board) {}

  bool read(std::string& chunk) override {
    const WatchBoard::News news = board_.since(place_);
    Json out = Json::object();
    if (news.missed > 0) out["missed"] = news.missed;
    for (const WatchedSession& each : news.sessions) out["sessions"].push_back(as_json(each));
    for (const WatchBoard::Line& line : news.lines) {
      out["lines"].push_back({{"session", line.session}, {"line", line.json}});
    }
    if (news.guide) out["guide"] = {{"where", news.guide->where}, {"next", news.guide->next}};
    if (out.empty()) return true;
    chunk += "data: " + out.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n\n";
    return true;
  }
  void watch(std::shared_ptr<transport::Waker> waker) override {
    waker_ = std::move(waker);
    board_.watch(waker_);
  }

 private:
  WatchBoard& board_;
  WatchBoard::Place place_;
  std::shared_ptr<transport::Waker> waker_;
};

std::string policy() {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "connect-src 'self'; style-src 'sha256-" +
         reports::sha256_base64(kWatchStyle) + "'; script-src 'sha256-" +
         reports::sha256_base64(kWatchScript) + "'";
}

transport::HttpReply plain(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain"}}, std::move(text) + "\n", nullptr};
}

// What nobody else may do with an answer of ours.
void seal(transport::HttpReply& reply) {
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

WatchPage::WatchPage(WatchBoard& board) : board_(board), path_("/" + transport::random_id()) {}

transport::HttpListener::Handler WatchPage::handler() {
  return [this](const transport::HttpHead& request, std::string_view /*body*/) {
    transport::HttpReply reply = answer(request);
    seal(reply);
    return reply;
  };
}

transport::HttpReply WatchPage::answer(const transport::HttpHead& request) const {
  const auto host = transport::find_header(request.headers, "Host");
  const auto origin = transport::find_header(request.headers, "Origin");
  if (!host || !is_this_machine(transport::host_name(*host)) ||
      (origin && *origin != fmt::format("http://{}", *host))) {
    return plain(403, "Forbidden");
  }
  const bool is_page = request.target == path_;
  if (!is_page && request.target != path_ + "/events") return plain(404, "Not found");
  if (request.method != "GET") {
    transport::HttpReply reply = plain(405, "Method not allowed");
    reply.headers.emplace_back("Allow", "GET");
    return reply;
  }
  if (is_page) {
    return {200,
            {{"Content-Type", "text/html; charset=utf-8"}, {"Content-Security-Policy", policy()}},
            fmt::format("{}<style>{}</style>{}<script>{}</script>\n", kWatchHead, kWatchStyle,
                        kWatchBody, kWatchScript),
            nullptr};
  }
  return {200, {{"Content-Type", "text/event-stream"}}, "", std::make_shared<NewsStream>(board_)};
}

}  // namespace assay::harness
