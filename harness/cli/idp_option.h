// An identity provider of ours, which an authorization server under test may be told to trust.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/frame/command.h"
#include "reference/authorization/jws.h"

namespace assay::transport {
class HttpListener;
}  // namespace assay::transport

namespace assay::cli {

// The private key in that file: PEM, for RS256 or ES256. Throws UsageError, which names the option.
std::shared_ptr<const authorization::SigningKey> read_key_option(const char* option,
                                                                 const std::string& path);

class IdpOption {
 public:
  IdpOption();
  ~IdpOption();
  void declare(Arguments& arguments);
  // What it signs with; null where none is wanted. Where its issuer is on this machine its metadata
  // and public keys are served there from now on. Throws UsageError.
  std::shared_ptr<const authorization::SigningKey> start();
  const std::string& issuer() const { return issuer_; }
  // Of the key, where it is served here.
  const std::string& key_id() const { return key_id_; }
  // For whom it speaks.
  const std::string& subject() const { return subject_; }

 private:
  void serve(int port);

  std::string issuer_;
  std::string subject_ = "assay-user";
  std::string key_file_;
  std::string key_id_;
  std::string keys_;      // the public ones, as a JWK set
  std::string metadata_;  // as JSON
  std::unique_ptr<transport::HttpListener> listener_;
};

}  // namespace assay::cli
