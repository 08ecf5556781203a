// The extension `io.modelcontextprotocol/auth/dpop`: proofs of possession for tokens, which add
// neither types nor methods.
//
// Specification: ext-auth, specification/draft/dpop-extension.
#include "reference/model/extension.h"

namespace assay::model {

Extension dpop_extension() {
  return {
      .name = "dpop",
      .identifier = "io.modelcontextprotocol/auth/dpop",
      .title = "DPoP",
      .version = "draft",
      .base = Revision::v2025_11_25,
      .address =
          "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/"
          "dpop-extension.mdx",
      .is_draft = true,
      .folder = "auth",
      .page = "dpop-extension",
  };
}

}  // namespace assay::model
