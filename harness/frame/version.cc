#include "harness/frame/version.h"

#include <fmt/format.h>

#include "harness/catalogue/catalogue.h"
#include "harness/frame/commit.h"  // written by the build

namespace assay::cli {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

#ifdef ASSAY_STATIC
constexpr const char* kLinkage = "static";
#else
constexpr const char* kLinkage = "with shared libraries";
#endif

}  // namespace

std::string version_text() {
  return fmt::format(
      "mcp-assay {}\ncommit {}, catalogue {}, {}, {}\nfor Linux (x86-64, arm64) and WSL",
      ASSAY_VERSION, ASSAY_COMMIT, catalogue::version(), kCompiler, kLinkage);
}

}  // namespace assay::cli
