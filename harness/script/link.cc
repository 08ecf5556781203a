#include "harness/script/link.h"

#include <algorithm>
#include <iterator>

namespace assay::harness {

std::string_view name(TransportKind kind) {
  switch (kind.value()) {
    case TransportKind::Value::kStdio:
      return "stdio";
    case TransportKind::Value::kHttp:
      return "http";
    case TransportKind::Value::kHttpSse:
      return "http+sse";
  }
  return "";
}

std::vector<UserToken> TargetAccess::good_tokens() const {
  std::vector<UserToken> good;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(good),
               [](const UserToken& token) { return token.is_good(); });
  return good;
}

}  // namespace assay::harness
