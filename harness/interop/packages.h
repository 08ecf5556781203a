// The npm packages that a client or server of a matrix needs, installed into a cache: each set
// once, and from then on without a network.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "harness/interop/entries.h"

namespace assay::harness {

// What stands in words and variables for the folder of PackageSet::files.
inline constexpr std::string_view kPackagesMark = "{packages}";

// Where a set is.
struct InstalledPackages {
  std::string folder;    // it has node_modules
  std::string files;     // the folder of the files; the same folder where there are none
  std::string versions;  // what was installed of the packages: "a@1.2.3, b@2.0.0"
};

class PackageCache {
 public:
  // `folder` is made where it is missing.
  explicit PackageCache(std::string folder) : folder_(std::move(folder)) {}

  // The set, which is installed first where it is not there. `on_install` is told what takes a
  // while. Or why it cannot be had, as a sentence.
  std::variant<InstalledPackages, std::string> get(
      const PackageSet& set, const std::stop_token& stop,
      const std::function<void(const std::string&)>& on_install) const;

 private:
  std::string install(const PackageSet& set, const std::string& folder,
                      const std::stop_token& stop) const;

  const std::string folder_;
};

// ~/.cache/mcp-assay/npm, or below XDG_CACHE_HOME.
std::string default_package_cache();

// Gets what the entries need, and tells each how it is started with it; of one whose packages
// cannot be had, `trouble` says why.
void get_packages(std::vector<InteropServer>& servers, std::vector<InteropClient>& clients,
                  std::vector<InteropGateway>& gateways, const PackageCache& cache,
                  const std::stop_token& stop,
                  const std::function<void(const std::string&)>& on_install);

// The command as it is started with these packages: a program of theirs by its path, and the mark
// replaced.
Launch with_packages(Launch launch, const InstalledPackages& packages);

// The versions of a package that npm knows, in its order: the oldest first. Or why it does not
// tell.
std::variant<std::vector<std::string>, std::string> published_versions(const std::string& package,
                                                                       const std::stop_token& stop);

// A name of npm, with or without a version: it is an argument of npm, and no option or path.
bool is_package_name(std::string_view text);

}  // namespace assay::harness
