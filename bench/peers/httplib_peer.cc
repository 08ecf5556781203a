// The least that cpp-httplib can do: it reads a request and answers with a constant. What our
// server on the same library does beyond that is what it costs.
//
// TCP_NODELAY is set: without it each answer waits 40 ms for a delayed acknowledgement.
#include <httplib.h>

#include <cstdio>

// The library lets five clients wait to be accepted; of more that come at once, each waits a
// second.
class Peer : public httplib::Server {
 public:
  void let_many_wait() { ::listen(svr_sock_, SOMAXCONN); }
};

int main() {
  constexpr std::size_t kThreads = 256;  // as many connections as our own server serves at once
  Peer server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1'000'000'000);
  server.Post("/mcp", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(R"({"jsonrpc":"2.0","id":1000000000,"result":{}})", "application/json");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  if (port < 0) return 1;
  server.let_many_wait();
  std::printf("listening on http://127.0.0.1:%d/mcp\n", port);
  std::fflush(stdout);
  return server.listen_after_bind() ? 0 : 1;
}
