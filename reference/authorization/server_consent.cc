// The page on which a person agrees that a client gets a code, or refuses it. What it shows came
// from whoever sent the browser here, so all of it is escaped; nobody else's page may frame it, or
// post what only it knows.
#include <algorithm>
#include <utility>

#include "reference/authorization/server.h"
#include "reference/authorization/server_replies.h"
#include "reference/transport/http_url.h"
#include "reference/transport/random_id.h"
#include "reference/wire/form.h"

namespace assay::authorization {
namespace {

using transport::HttpReply;

constexpr int kSeeOther = 303;

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string said(const wire::Form& asked, std::string_view name, std::string_view otherwise) {
  const std::string value = wire::form_value(asked, name).value_or("");
  return in_html(value.empty() ? otherwise : value);
}

std::string host_of(const wire::Form& asked) {
  const auto parsed =
      transport::HttpUrl::parse(wire::form_value(asked, "redirect_uri").value_or(""));
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  return url == nullptr ? "an application on this device" : in_html(url->authority());
}

}  // namespace

HttpReply Server::ask_for_consent(wire::Form asked) {
  const std::string ticket = transport::random_id();
  const std::string page =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Allow access?</title>\n"
      "<h1>Allow access?</h1>\n<dl>\n<dt>Client</dt><dd id=\"client\">" +
      said(asked, "client_id", "nobody") + "</dd>\n<dt>Wants</dt><dd id=\"scope\">" +
      said(asked, "scope", "what everybody may") + "</dd>\n<dt>At</dt><dd id=\"resource\">" +
      said(asked, "resource", "any server") + "</dd>\n<dt>Then leads to</dt><dd id=\"host\">" +
      host_of(asked) + "</dd>\n</dl>\n<form method=\"post\" action=\"" + in_html(endpoints_path()) +
      "/consent\">\n<input type=\"hidden\" name=\"ticket\" value=\"" + ticket +
      "\">\n<button name=\"decision\" value=\"approve\">Allow</button>\n"
      "<button name=\"decision\" value=\"deny\">Refuse</button>\n</form>\n</html>\n";
  {
    const std::lock_guard lock(mutex_);
    // Nobody tells when a page is left without a decision: the oldest gives way.
    if (awaiting_.size() >= kMost) awaiting_.pop_front();
    awaiting_.emplace_back(ticket, std::move(asked));
  }
  return {200,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"Cache-Control", "no-store"},
           {"Referrer-Policy", "no-referrer"},
           {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"}},
          page,
          nullptr};
}

HttpReply Server::consent(std::string_view body) {
  const wire::Form decided = wire::read_form(body);
  const std::string decision = wire::form_value(decided, "decision").value_or("");
  if (decision != "approve" && decision != "deny") {
    return refuse(400, "invalid_request", "decision is neither approve nor deny");
  }
  wire::Form asked;
  {
    const std::lock_guard lock(mutex_);
    const std::string ticket = wire::form_value(decided, "ticket").value_or("");
    const auto found = std::find_if(awaiting_.begin(), awaiting_.end(),
                                    [&](const auto& each) { return each.first == ticket; });
    if (found == awaiting_.end()) {
      return refuse(400, "invalid_request", "no request waits for this decision");
    }
    asked = std::move(found->second);
    awaiting_.erase(found);
  }
  HttpReply reply = decision == "approve"
                        ? give_code(asked)
                        : redirect(asked, {{"error", "access_denied"},
                                           {"error_description", "the person refused"}});
  // The browser follows with GET, and does not post the decision again.
  if (reply.status == 302) reply.status = kSeeOther;
  return reply;
}

}  // namespace assay::authorization
