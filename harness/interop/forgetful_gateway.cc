// A gateway for the tests: passes HTTP on to a server, and with "forget" leaves out the session
// that the client names.
//
//   forgetful_gateway PORT URL [forget]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "reference/transport/http_forwarder.h"
#include "reference/transport/http_listener.h"
#include "reference/transport/http_url.h"

using assay::transport::ConnectOptions;
using assay::transport::Header;
using assay::transport::HttpForwarder;
using assay::transport::HttpHead;
using assay::transport::HttpListener;
using assay::transport::HttpUrl;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto parsed = HttpUrl::parse(argv[2]);
  const auto* url = std::get_if<HttpUrl>(&parsed);
  if (url == nullptr) return 2;
  const bool forgets = argc > 3 && std::string(argv[3]) == "forget";
  HttpForwarder forwarder(*url, ConnectOptions{});
  const HttpListener::Handler good = forwarder.handler();
  HttpListener::Options options;
  options.port = std::atoi(argv[1]);
  HttpListener listener(options, [&](const HttpHead& request, std::string_view body) {
    HttpHead passed = request;
    if (forgets) {
      std::erase_if(passed.headers, [](const Header& field) {
        return assay::transport::lower_case(field.first) == "mcp-session-id";
      });
    }
    return good(passed, body);
  });
  // Before there are threads that would take them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  if (listener.start()) return 3;
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}
