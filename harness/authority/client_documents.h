// Metadata documents of clients (Client ID Metadata Documents), on this machine.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "harness/authority/inquirer.h"
#include "harness/transcript/credential_mask.h"
#include "reference/transport/http_listener.h"

namespace assay::harness {

// Thread safety: any thread may call any member.
class ClientDocuments {
 public:
  // What passes is told to the transcript of the inquirer, which outlives it.
  explicit ClientDocuments(Inquirer& inquirer);
  ~ClientDocuments() { listener_.stop(); }
  ClientDocuments(const ClientDocuments&) = delete;
  ClientDocuments& operator=(const ClientDocuments&) = delete;

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start() { return listener_.start(); }
  // Once started: where a document of that name stands, or is to stand.
  std::string url_of(const std::string& name) const;
  void put(const std::string& name, std::string text);
  // How often it was asked for.
  int visits(const std::string& name) const;

 private:
  struct Document {
    std::string text;
    int visits = 0;
  };
  transport::HttpReply serve(const transport::HttpHead& request);

  CredentialMask mask_;
  mutable std::mutex mutex_;  // guards documents_
  std::map<std::string, Document> documents_;
  transport::HttpListener listener_;  // the last: its threads use the others
};

}  // namespace assay::harness
