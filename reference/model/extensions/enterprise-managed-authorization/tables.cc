// The extension `io.modelcontextprotocol/enterprise-managed-authorization`: a way to get a token,
// which adds neither types nor methods.
//
// Specification: 2025-11-25, basic/authorization, "MCP Authorization Extensions"; ext-auth,
// specification/draft/enterprise-managed-authorization.
#include "reference/model/extension.h"

namespace assay::model {

Extension enterprise_managed_authorization_extension() {
  return {
      .name = "enterprise-managed-authorization",
      .identifier = "io.modelcontextprotocol/enterprise-managed-authorization",
      .title = "Enterprise-Managed Authorization",
      .version = "draft",
      .base = Revision::v2025_11_25,
      .address =
          "https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/"
          "enterprise-managed-authorization.mdx",
      .is_draft = true,
      .folder = "auth",
  };
}

}  // namespace assay::model
