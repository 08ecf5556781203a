// The extension `io.modelcontextprotocol/oauth-client-credentials`: a way to get a token, which
// adds neither types nor methods.
//
// Specification: 2025-11-25, basic/authorization, "MCP Authorization Extensions"; ext-auth,
// specification/draft/oauth-client-credentials.
#include "reference/model/extension.h"

namespace assay::model {

Extension oauth_client_credentials_extension() {
  return {
      .name = "oauth-client-credentials",
      .identifier = "io.modelcontextprotocol/oauth-client-credentials",
      .title = "OAuth Client Credentials",
      .version = "draft",
      .base = Revision::v2025_11_25,
      .address =
          "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/"
          "oauth-client-credentials.mdx",
      .is_draft = true,
      .folder = "auth",
  };
}

}  // namespace assay::model
