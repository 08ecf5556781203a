#include "harness/script/link.h"

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

}  // namespace assay::harness
