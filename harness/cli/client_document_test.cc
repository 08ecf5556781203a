// The metadata document of a client is fetched over https, from whoever a certificate vouches for,
// and from nobody else.
#include "harness/cli/client_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace assay::cli {
namespace {

// Of 127.0.0.1, signed by itself.
class Identity {
 public:
  Identity() : key_(EVP_RSA_gen(2048), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509_set_version(certificate_.get(), 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_NAME* const name = X509_get_subject_name(certificate_.get());
    const auto* const text = reinterpret_cast<const unsigned char*>("assay test");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(certificate_.get(), name);
    add(NID_basic_constraints, "critical,CA:TRUE");
    add(NID_subject_alt_name, "IP:127.0.0.1");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  }

  EVP_PKEY* key() const { return key_.get(); }
  X509* certificate() const { return certificate_.get(); }
  void save(const std::string& path) const {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    PEM_write_X509(file, certificate_.get());
    std::fclose(file);
  }

 private:
  void add(int nid, const char* value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    ASSERT_NE(extension, nullptr);
    X509_add_ext(certificate_.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

class DocumentHost {
 public:
  explicit DocumentHost(const Identity& identity)
      : server_(identity.certificate(), identity.key()) {
    server_.Get("/client.json", [](const auto&, auto& response) {
      response.set_content(R"({"client_id":"here"})", "application/json");
    });
    server_.Get("/moved",
                [](const auto&, auto& response) { response.set_redirect("/client.json"); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~DocumentHost() {
    server_.stop();
    thread_.join();
  }
  std::string url(const std::string& path, const std::string& scheme = "https") const {
    return fmt::format("{}://127.0.0.1:{}{}", scheme, port_, path);
  }

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
};

// Certificates that this file vouches for are accepted for as long as the object lives.
class Trust {
 public:
  explicit Trust(const Identity& identity)
      : path_(std::filesystem::path(testing::TempDir()) / "client-document-authority.pem") {
    identity.save(path_);
    if (const char* before = std::getenv(kVariable)) before_ = before;
    ::setenv(kVariable, path_.c_str(), 1);
  }
  ~Trust() {
    std::filesystem::remove(path_);
    if (before_.empty()) {
      ::unsetenv(kVariable);
    } else {
      ::setenv(kVariable, before_.c_str(), 1);
    }
  }

 private:
  static constexpr const char* kVariable = "SSL_CERT_FILE";
  const std::string path_;
  std::string before_;
};

// As with --allow-private: the host of the test is this machine.
std::optional<std::string> document_at(const std::string& url) {
  return fetch_client_document(url, transport::Reach::kAnywhere).text;
}

TEST(ClientDocument, IsFetchedOverHttps) {
  const Identity identity;
  const Trust trust(identity);
  const DocumentHost host(identity);
  EXPECT_EQ(document_at(host.url("/client.json")), R"({"client_id":"here"})");
}

TEST(ClientDocument, IsNothingButAnAnswerWith200) {
  const Identity identity;
  const Trust trust(identity);
  const DocumentHost host(identity);
  EXPECT_EQ(document_at(host.url("/moved")), std::nullopt);
  EXPECT_EQ(document_at(host.url("/nowhere")), std::nullopt);
  EXPECT_EQ(document_at("no url"), std::nullopt);
}

TEST(ClientDocument, IsNotAskedForWithoutHttps) {
  const Identity identity;
  const DocumentHost host(identity);
  EXPECT_EQ(document_at(host.url("/client.json", "http")), std::nullopt);
}

TEST(ClientDocument, IsNotTakenFromWhomNobodyVouchesFor) {
  const Identity identity;
  const DocumentHost host(identity);
  EXPECT_EQ(document_at(host.url("/client.json")), std::nullopt);
}

// The name is one that a certificate vouches for, and stands for this machine: it is not asked.
TEST(ClientDocument, IsNotTakenFromPrivateAddresses) {
  const Identity identity;
  const Trust trust(identity);
  const DocumentHost host(identity);
  for (const std::string& url :
       {host.url("/client.json"), std::string("https://localhost/c.json"),
        std::string("https://[::1]/c.json"), std::string("https://169.254.169.254/c.json")}) {
    const harness::DocumentRead read = fetch_client_document(url, transport::Reach::kPublic);
    EXPECT_EQ(read.text, std::nullopt) << url;
    EXPECT_NE(read.trouble.find("not a public address"), std::string::npos) << read.trouble;
  }
}

}  // namespace
}  // namespace assay::cli
