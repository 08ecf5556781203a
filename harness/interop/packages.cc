#include "harness/interop/packages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/host/guest.h"
#include "harness/host/house.h"
#include "reference/transport/stdio_child.h"
#include "reference/transport/unique_fd.h"
#include "reports/digest.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestInstall{10};
constexpr std::size_t kLongestPackageName = 214;  // npm's own limit
// What says that an installation came to its end.
constexpr const char* kWholeMark = "installed.json";

constexpr std::chrono::seconds kLongestView{60};
constexpr std::chrono::milliseconds kGlanceAtStop{100};
constexpr std::size_t kMostOutput = 4u << 20;

// What a program prints, as far as it is kept.
class OutputLines : public transport::Observer {
 public:
  void observe(const transport::Observation& observation) override {
    const bool is_line = observation.kind == transport::Observation::Kind::kLine &&
                         observation.speaker == transport::Party::kServer;
    const std::lock_guard lock(mutex_);
    if (is_line && text_.size() < kMostOutput) text_ += observation.bytes + "\n";
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::move(text_);
  }

 private:
  std::mutex mutex_;  // guards text_
  std::string text_;
};

// A name for what is made of these, the same on every run.
std::string key_of(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part + '\n';
  return reports::sha256_hex(all).substr(0, 24);
}

std::string name_without_version(const std::string& package) {
  const std::size_t at = package.find('@', 1);
  return package.substr(0, at);
}

// "a@1.2.3" of what is there.
std::string installed_version(const std::string& folder, const std::string& package) {
  const std::string name = name_without_version(package);
  const reports::FileText text =
      reports::read_file(folder + "/node_modules/" + name + "/package.json");
  const Json json = Json::parse(text.text, nullptr, false);
  const bool has_version =
      json.is_object() && json.contains("version") && json["version"].is_string();
  return has_version
             ? fmt::format(
                   "{}@{}", name,
                   reports::printable_line(reports::cut(json["version"].get<std::string>(), 60)))
             : name;
}

// Two runs at once do not install the same at once. Held while the descriptor is open.
transport::UniqueFd locked(const std::string& path) {
  transport::UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.is_open()) ::flock(lock.get(), LOCK_EX);
  return lock;
}

// Beside the packages, so that Node.js finds them from there; a change of a file makes a new
// folder.
std::string copy_files(const std::vector<std::string>& files, const std::string& folder,
                       std::string& trouble) {
  std::vector<std::string> contents;
  for (const std::string& file : files) {
    reports::FileText text = reports::read_file(file);
    if (!text.error.empty()) {
      trouble = text.error;
      return "";
    }
    contents.push_back(fs::path(file).filename().string());
    contents.push_back(std::move(text.text));
  }
  const std::string target = folder + "/files-" + key_of(contents);
  std::error_code error;
  fs::create_directories(target, error);
  for (std::size_t i = 0; i < contents.size(); i += 2) {
    const std::string path = target + "/" + contents[i];
    if (fs::exists(path, error)) continue;
    // Another run may be reading it just now.
    const std::string fresh = fmt::format("{}.{}", path, ::getpid());
    if (auto failure = reports::write_file(fresh, contents[i + 1])) trouble = *failure;
    fs::rename(fresh, path, error);
  }
  return target;
}

}  // namespace

bool is_package_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestPackageName || text.front() == '-') return false;
  if (text.front() == '.' || text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("@/._-+~^").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string default_package_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base = cache != nullptr && *cache != '\0' ? cache
                           : home != nullptr                  ? std::string(home) + "/.cache"
                                                              : "/tmp";
  return base + "/mcp-assay/npm";
}

std::variant<InstalledPackages, std::string> PackageCache::get(
    const PackageSet& set, const std::stop_token& stop,
    const std::function<void(const std::string&)>& on_install) const {
  InstalledPackages out;
  out.folder = folder_ + "/" + key_of(set.packages);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fmt::format("cannot make the folder '{}': {}", folder_, error.message());
  {
    const transport::UniqueFd lock = locked(out.folder + ".lock");
    if (!fs::exists(out.folder + "/" + kWholeMark, error)) {
      std::string names;
      for (const std::string& each : set.packages) names += (names.empty() ? "" : ", ") + each;
      if (on_install) on_install(names);
      if (std::string trouble = install(set, out.folder, stop); !trouble.empty()) {
        return fmt::format("npm could not install {}: {}", names, trouble);
      }
    }
  }
  for (const std::string& each : set.packages) {
    out.versions += (out.versions.empty() ? "" : ", ") + installed_version(out.folder, each);
  }
  std::string trouble;
  out.files = set.files.empty() ? out.folder : copy_files(set.files, out.folder, trouble);
  if (!trouble.empty()) return trouble;
  return out;
}

std::string PackageCache::install(const PackageSet& set, const std::string& folder,
                                  const std::stop_token& stop) const {
  // What was left by a run that was ended is begun anew.
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  std::vector<std::string> command = {"npm",
                                      "install",
                                      "--prefix",
                                      folder,
                                      "--ignore-scripts",
                                      "--no-audit",
                                      "--no-fund",
                                      "--no-progress",
                                      "--fetch-retries",
                                      "1",
                                      "--"};
  command.insert(command.end(), set.packages.begin(), set.packages.end());
  Guest npm(std::move(command), {}, folder);
  const GuestEnd end = npm.run(kLongestInstall, stop);
  if (!end.is_sound()) {
    return end.last_words.empty()
               ? end.text()
               : fmt::format("{}; its last words: {}", end.text(), end.last_words);
  }
  const auto failure =
      reports::write_file(folder + "/" + kWholeMark, Json(set.packages).dump() + "\n");
  return failure.value_or("");
}

void get_packages(std::vector<InteropServer>& servers, std::vector<InteropClient>& clients,
                  std::vector<InteropGateway>& gateways, const PackageCache& cache,
                  const std::stop_token& stop,
                  const std::function<void(const std::string&)>& on_install) {
  const auto get = [&](auto& entry, std::initializer_list<std::optional<Launch>*> launches) {
    if (entry.packages.is_empty()) return;
    const auto got = cache.get(entry.packages, stop, on_install);
    if (const auto* why = std::get_if<std::string>(&got)) {
      entry.trouble = *why;
      return;
    }
    const auto& installed = std::get<InstalledPackages>(got);
    entry.package = installed.versions;
    for (std::optional<Launch>* launch : launches) {
      if (*launch) *launch = with_packages(**launch, installed);
    }
  };
  for (InteropServer& server : servers) get(server, {&server.over_stdio, &server.start});
  for (InteropClient& client : clients) get(client, {&client.over_stdio, &client.over_http});
  for (InteropGateway& gateway : gateways) get(gateway, {&gateway.launch});
}

std::variant<std::vector<std::string>, std::string> published_versions(
    const std::string& package, const std::stop_token& stop) {
  if (!is_package_name(package)) return "that is not a name of npm";
  OutputLines output;
  transport::StdioChild npm(
      transport::deaf_command({"npm", "view", package, "versions", "--json"}, {}), output);
  if (const auto failure = npm.open()) return failure->detail;
  const auto deadline = std::chrono::steady_clock::now() + kLongestView;
  while (!npm.wait_for_exit(std::chrono::steady_clock::now() + kGlanceAtStop)) {
    if (stop.stop_requested()) return "interrupted";
    if (std::chrono::steady_clock::now() > deadline) return "npm did not answer in time";
  }
  npm.close(std::chrono::steady_clock::now() + kGlanceAtStop);
  const Json json = Json::parse(output.take(), nullptr, false);
  std::vector<std::string> versions;
  if (json.is_string()) versions.push_back(json);
  if (json.is_array()) {
    for (const Json& each : json) {
      if (each.is_string()) versions.push_back(each);
    }
  }
  if (versions.empty())
    return fmt::format("npm does not say which versions of {} there are", package);
  return versions;
}

Launch with_packages(Launch launch, const InstalledPackages& packages) {
  for (std::string& word : launch.words) replace_mark(word, kPackagesMark, packages.files);
  for (auto& [name, value] : launch.environment) {
    replace_mark(value, kPackagesMark, packages.files);
  }
  const bool is_plain =
      !launch.words.empty() && launch.words.front().find('/') == std::string::npos;
  if (!is_plain) return launch;
  const std::string program = packages.folder + "/node_modules/.bin/" + launch.words.front();
  std::error_code error;
  if (fs::exists(program, error)) launch.words.front() = program;
  return launch;
}

}  // namespace assay::harness
