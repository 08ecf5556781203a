#include "reference/transport/http_url.h"

#include <gtest/gtest.h>

namespace assay::transport {
namespace {

HttpUrl parsed(std::string_view text) {
  auto url = HttpUrl::parse(text);
  EXPECT_TRUE(std::holds_alternative<HttpUrl>(url)) << text;
  return std::holds_alternative<HttpUrl>(url) ? std::get<HttpUrl>(url) : HttpUrl{};
}

TEST(HttpUrl, ReadsItsParts) {
  const HttpUrl url = parsed("https://example.com:8443/mcp?a=b#c");
  EXPECT_TRUE(url.is_tls);
  EXPECT_EQ(url.host, "example.com");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.target, "/mcp?a=b");
  EXPECT_EQ(url.text(), "https://example.com:8443/mcp?a=b");
}

TEST(HttpUrl, FillsInDefaults) {
  EXPECT_EQ(parsed("http://h").text(), "http://h/");
  EXPECT_EQ(parsed("HTTPS://h").port, 443);
  EXPECT_EQ(parsed("http://h?q").target, "/?q");
  EXPECT_EQ(parsed("http://[::1]:80/x").authority(), "[::1]");
  EXPECT_EQ(parsed("http://[::1]:81/x").authority(), "[::1]:81");
}

TEST(HttpUrl, RefusesWhatItCannotRead) {
  for (const char* text :
       {"", "mcp", "ftp://h/", "http://", "http:///x", "http://h:0/", "http://h:x/",
        "http://h:65536/", "http://u:p@h/", "http://h/a b", "http://h/\r\nX: y", "http://[::1",
        "http://[::1]x/", "http://[[]/", "http://a]/", "http://h/\xC3\xA9"}) {
    const auto url = HttpUrl::parse(text);
    ASSERT_TRUE(std::holds_alternative<Failure>(url)) << text;
    EXPECT_EQ(std::get<Failure>(url).kind, Failure::Kind::kBadAddress);
  }
}

TEST(HttpUrl, ResolvesReferences) {
  const HttpUrl base = parsed("http://h:1/a/sse?x");
  const auto resolved = [&](std::string_view reference) {
    return std::get<HttpUrl>(base.resolve(reference)).text();
  };
  EXPECT_EQ(resolved("/messages?sessionId=1"), "http://h:1/messages?sessionId=1");
  EXPECT_EQ(resolved("messages"), "http://h:1/a/messages");
  EXPECT_EQ(resolved("?y"), "http://h:1/a/sse?y");
  EXPECT_EQ(resolved("http://other/m"), "http://other/m");
  EXPECT_EQ(resolved("//other/m"), "http://other/m");
}

}  // namespace
}  // namespace assay::transport
