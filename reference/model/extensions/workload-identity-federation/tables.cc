// The extension `io.modelcontextprotocol/auth/wif`: a way to get a token, which adds
// neither types nor methods.
//
// Specification: ext-auth, specification/draft/workload-identity-federation.
#include "reference/model/extension.h"

namespace assay::model {

Extension workload_identity_federation_extension() {
  return {
      .name = "workload-identity-federation",
      .identifier = "io.modelcontextprotocol/auth/wif",
      .title = "Workload Identity Federation",
      .version = "draft",
      .base = Revision::v2025_11_25,
      .address =
          "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/"
          "workload-identity-federation.mdx",
      .is_draft = true,
      .folder = "auth",
  };
}

}  // namespace assay::model
