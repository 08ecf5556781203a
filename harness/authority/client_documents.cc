#include "harness/authority/client_documents.h"

#include <fmt/format.h>

#include <utility>

#include "reference/transport/observed_handler.h"

namespace assay::harness {

ClientDocuments::ClientDocuments(Inquirer& inquirer)
    : mask_(inquirer.transcript(), inquirer.vault(), Inquirer::kLanes),
      listener_(transport::HttpListener::Options::for_few(),
                transport::observed([this](const transport::HttpHead& request,
                                           std::string_view) { return serve(request); },
                                    mask_)) {}

std::string ClientDocuments::url_of(const std::string& name) const {
  return fmt::format("http://127.0.0.1:{}/{}", listener_.port(), name);
}

void ClientDocuments::put(const std::string& name, std::string text) {
  const std::lock_guard lock(mutex_);
  documents_["/" + name].text = std::move(text);
}

int ClientDocuments::visits(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = documents_.find("/" + name);
  return found == documents_.end() ? 0 : found->second.visits;
}

transport::HttpReply ClientDocuments::serve(const transport::HttpHead& request) {
  const std::lock_guard lock(mutex_);
  const auto found = documents_.find(request.target);
  if (found == documents_.end()) {
    return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
  }
  ++found->second.visits;
  return {200,
          {{"Content-Type", "application/json"}, {"Cache-Control", "public, max-age=3600"}},
          found->second.text,
          nullptr};
}

}  // namespace assay::harness
