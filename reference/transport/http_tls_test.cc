#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "reference/transport/http_client.h"
#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"

namespace assay::transport {
namespace {

// An HTTPS server with a certificate that nobody vouches for.
class TlsServer {
 public:
  TlsServer() : key_(EVP_RSA_gen(2048), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
    server_ = std::make_unique<httplib::SSLServer>(certificate_.get(), key_.get());
    server_->Post("/mcp", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(request.body, "application/json");
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
  }
  ~TlsServer() {
    server_->stop();
    thread_.join();
  }
  HttpUrl url() const {
    return std::get<HttpUrl>(HttpUrl::parse(fmt::format("https://127.0.0.1:{}/mcp", port_)));
  }

 private:
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
  std::unique_ptr<httplib::SSLServer> server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(HttpTls, RefusesACertificateThatNobodyVouchesFor) {
  TlsServer server;
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kUnreachable);
  EXPECT_THAT(failure->detail, testing::HasSubstr("the certificate is not accepted"));
}

TEST(HttpTls, SpeaksToItWhenToldTo) {
  TlsServer server;
  Recorder recorder;
  HttpClientOptions options;
  options.connection.verify_certificate = false;
  HttpClient client(server.url(), options, recorder);
  ASSERT_FALSE(client.open());
  const std::string large(300000, 'x');
  for (const std::string& message : {std::string("{}"), large}) {
    client.send(message);
    EXPECT_TRUE(recorder.wait_for([&](const Observation& seen) {
      return seen.kind == Observation::Kind::kHttpBody && seen.bytes == message;
    }));
  }
  client.close(test_deadline());
}

TEST(HttpTls, BoundsAHandshakeThatDripsAsAWhole) {
  RawServer server([](RawConnection& connection) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    connection.write("\x16\x03\x03\x3f\xff\x02");  // a record of 16 KiB begins
    while (connection.write("x")) never.wait_for(lock, std::chrono::milliseconds(5));
  });
  HttpUrl url = server.url();
  url.is_tls = true;
  Recorder recorder;
  HttpClientOptions options;
  options.connection.timeout = std::chrono::milliseconds(50);
  HttpClient client(url, options, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->detail, testing::HasSubstr("took longer than 50 ms"));
}

TEST(HttpTls, SaysWhenThereIsNoTls) {
  RawServer server(
      [](RawConnection& connection) { connection.write("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  HttpUrl url = server.url();
  url.is_tls = true;
  Recorder recorder;
  HttpClient client(url, {}, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->detail, testing::HasSubstr("TLS handshake"));
}

}  // namespace
}  // namespace assay::transport
