#include "harness/script/link.h"

#include <algorithm>
#include <iterator>

namespace assay::harness {

std::string_view name(TransportKind kind) {
  switch (kind) {
    case TransportKind::kStdio:
      return "stdio";
    case TransportKind::kHttp:
      return "http";
    case TransportKind::kHttpSse:
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
