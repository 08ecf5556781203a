#include "reference/transport/self_contained.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

#include "reference/transport/resolve.h"

namespace assay::transport {
namespace {

// A system of its own in a folder, without the variables that say where the authorities are.
class AuthoritiesFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("SSL_CERT_FILE");
    ::unsetenv("SSL_CERT_DIR");
    std::string name = (std::filesystem::temp_directory_path() / "authorities.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << "a bundle\n";
  }

  std::string root_;
};

TEST_F(AuthoritiesFile, IsFoundWhereDistributionsKeepIt) {
  write("/etc/pki/tls/certs/ca-bundle.crt");
  EXPECT_EQ(authorities_file(root_), root_ + "/etc/pki/tls/certs/ca-bundle.crt");
}

TEST_F(AuthoritiesFile, IsNotNamedWhereOpenSslFindsItsOwn) {
  write("/etc/ssl/cert.pem");
  write("/usr/lib/ssl/certs/0a1b2c3d.0");
  EXPECT_EQ(authorities_file(root_), "");
}

TEST_F(AuthoritiesFile, IsNotNamedWhereTheUserSaysAnother) {
  write("/etc/ssl/cert.pem");
  ::setenv("SSL_CERT_FILE", "/elsewhere.pem", 1);
  EXPECT_EQ(authorities_file(root_), "");
  ::unsetenv("SSL_CERT_FILE");
}

TEST_F(AuthoritiesFile, IsNotThereInAnEmptySystem) {
  EXPECT_EQ(authorities_file(root_), "");
}

TEST(Resolve, KnowsTheLoopbackByNameAndByNumber) {
  for (const std::string host : {"localhost", "127.0.0.1", "::1"}) {
    const auto found = resolve(host, 80, Purpose::kConnect);
    EXPECT_TRUE(std::holds_alternative<Addresses>(found)) << host;
  }
}

TEST(Resolve, SaysWhyThereIsNoAddress) {
  const auto found = resolve("not an address", 80, Purpose::kListen);
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_NE(std::get<std::string>(found), "");
}

}  // namespace
}  // namespace assay::transport
