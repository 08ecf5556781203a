#include "reference/transport/http_server.h"

#include <utility>

#include "reference/transport/http_endpoint.h"

namespace assay::transport {

HttpServer::HttpServer(SessionFactory& server, HttpServerOptions options,
                       const HttpConduct* conduct)
    : host_(options.host),
      endpoint_(std::make_unique<HttpEndpoint>(server, options, conduct)),
      listener_({.host = options.host,
                 .port = options.port,
                 .most_connections = options.most_connections,
                 .write_timeout = options.write_timeout},
                endpoint_->handler()) {}

HttpServer::~HttpServer() {
  stop();
}

std::optional<std::string> HttpServer::start() {
  return listener_.start();
}

int HttpServer::port() const {
  return listener_.port();
}

std::string HttpServer::url() const {
  return "http://" + host_ + ":" + std::to_string(port()) + std::string(kMcpPath);
}

std::string HttpServer::sse_url() const {
  return "http://" + host_ + ":" + std::to_string(port()) + std::string(kSsePath);
}

void HttpServer::serve(int socket) {
  listener_.serve(socket);
}

void HttpServer::stop() {
  endpoint_->end();
  listener_.stop();
}

}  // namespace assay::transport
