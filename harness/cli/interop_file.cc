#include "harness/cli/interop_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "harness/cli/interop_entries.h"
#include "harness/cli/interop_members.h"
#include "harness/cli/profiles_option.h"
#include "harness/cli/tap_secrets.h"
#include "harness/frame/command.h"
#include "harness/host/house.h"
#include "harness/interop/packages.h"
#include "harness/profile/built_in.h"
#include "reference/transport/http_url.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/yaml.h"

namespace assay::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using harness::TransportKind;

const std::vector<std::string> kFileMembers = {"servers",    "clients", "gateways",
                                               "transports", "eras",    "timeout"};
const std::vector<std::string> kGatewayMembers = {"package", "versions", "files", "command", "args",
                                                  "env",     "envFile",  "cwd",   "url"};
// One that runs already.
const std::vector<std::string> kRunningGatewayMembers = {"url", "headers", "server"};
const std::vector<std::string> kServerMembers = {
    "package", "versions", "files",   "command", "args",    "env",   "envFile",
    "cwd",     "url",      "headers", "start",   "profile", "tools", "shared"};
const std::vector<std::string> kClientMembers = {"package", "versions", "files",   "command",
                                                 "args",    "stdio",    "http",    "env",
                                                 "envFile", "cwd",      "profile", "oldest"};
const std::vector<std::string> kEraMembers = {"args", "env"};
constexpr std::array<const char*, 3> kWhereItRuns = {"env", "envFile", "cwd"};
constexpr double kLongestTimeout = 3600;

// What a command or a URL is in a report: as it is written, so that no value of a variable shows.
std::string location_of(const ListedServer& entry) {
  std::string out;
  for (const ListedText& word : entry.words) {
    out += (out.empty() ? "" : " ") + reports::shell_word(word.written);
  }
  return out.empty() ? reports::printable_line(entry.url.written) : out;
}

class InteropFileReader : InteropMembers {
 public:
  InteropFileReader(const ListFile& file, reports::Vault& vault, const Variables& variables)
      : InteropMembers(file), vault_(vault), variables_(variables) {}

  InteropFile read(const OrderedJson& root) {
    if (!root.is_object()) fail("", "is no matrix: it has to name servers and clients");
    check_members(root, "", kFileMembers);
    InteropFile out;
    each_entry(root, "servers", [&](const std::string& name, const OrderedJson& entry) {
      const harness::InteropServer one = server(name, entry);
      for (harness::InteropServer& each : in_versions(one, entry)) out.servers.push_back(each);
    });
    each_entry(root, "clients", [&](const std::string& name, const OrderedJson& entry) {
      const harness::InteropClient one = client(name, entry);
      for (harness::InteropClient& each : in_versions(one, entry)) out.clients.push_back(each);
    });
    if (root.contains("gateways")) {
      each_entry(root, "gateways", [&](const std::string& name, const OrderedJson& entry) {
        const harness::InteropGateway one = gateway(name, entry);
        for (harness::InteropGateway& each : in_versions(one, entry)) out.gateways.push_back(each);
      });
    }
    out.transports = transports(root);
    out.eras = eras(root);
    out.timeout = timeout(root);
    return out;
  }

 private:
  template <typename Visit>
  void each_entry(const OrderedJson& root, const char* member, const Visit& visit) const {
    if (!root.contains(member) || !root[member].is_object() || root[member].empty()) {
      fail(member, "has to name at least one");
    }
    for (const auto& [name, entry] : root[member].items()) {
      const std::string place = fmt::format("{} '{}'", member, in_short(name));
      if (name == kReferenceName || name == kReferenceLoginName)
        fail(place, "has the name of our own, which is always there");
      if (name.size() > 60) fail(place, "has too long a name");
      visit(name, entry);
    }
  }

  // npm packages, and files of the user's that import them.
  harness::PackageSet packages(const OrderedJson& entry, const std::string& place) const {
    harness::PackageSet out;
    if (entry.contains("package")) out.packages = texts(entry["package"], place + ": package");
    for (const std::string& each : out.packages) {
      if (harness::is_package_name(each)) continue;
      fail(place + ": package",
           fmt::format("has '{}', which is not a name of npm", in_short(each)));
    }
    for (const char* member : {"versions", "files"}) {
      if (!entry.contains(member) || entry.contains("package")) continue;
      fail(place, fmt::format("has {}, but no package", member));
    }
    if (!entry.contains("files")) return out;
    for (const std::string& each : texts(entry["files"], place + ": files")) {
      out.files.push_back((std::filesystem::path(file_.folder) / each).lexically_normal().string());
    }
    return out;
  }
  // One entry for each version of its first package, with the version in its name.
  template <typename Entry>
  std::vector<Entry> in_versions(const Entry& one, const OrderedJson& entry) const {
    if (!entry.contains("versions")) return {one};
    std::vector<Entry> out;
    for (const std::string& version : texts(entry["versions"], in_short(one.name) + ": versions")) {
      Entry& each = out.emplace_back(one);
      each.name = fmt::format("{}@{}", one.name, version);
      std::string& package = each.packages.packages.front();
      package = fmt::format("{}@{}", package.substr(0, package.find('@', 1)), version);
      if (!harness::is_package_name(package)) {
        fail(in_short(one.name),
             fmt::format("has '{}', which is not a version", in_short(version)));
      }
    }
    return out;
  }
  // A command, read as files of clients are: with variables, and secrets in the vault.
  ListedServer listed(const std::string& name, const OrderedJson& entry) const {
    ListedServer out = read_listed_server(file_, name, entry, variables_);
    for (const reports::Secret& secret : out.secrets) vault_.add(secret.value, secret.shown);
    for (const auto& [field, value] : out.headers) vault_.add_field(field, value);
    vault_.add_query(out.url.value);
    std::vector<std::string> words;
    for (const ListedText& word : out.words) words.push_back(word.value);
    hide_secrets(words, vault_);
    return out;
  }
  static harness::Launch launch_of(const ListedServer& entry) {
    harness::Launch out;
    for (const ListedText& word : entry.words) out.words.push_back(word.value);
    out.environment = entry.environment;
    out.directory = entry.directory;
    return out;
  }
  // The words of a list as command and args of an entry, in its folder and environment.
  static OrderedJson entry_of(const OrderedJson& words, const OrderedJson& entry) {
    OrderedJson out;
    out["command"] = words.front();
    out["args"] = OrderedJson(words.begin() + 1, words.end());
    for (const char* member : kWhereItRuns) {
      if (entry.contains(member)) out[member] = entry[member];
    }
    return out;
  }

  harness::InteropServer server(const std::string& name, const OrderedJson& entry) const {
    const std::string place = fmt::format("server '{}'", in_short(name));
    check_members(entry, place, kServerMembers);
    harness::InteropServer out;
    out.name = name;
    out.packages = packages(entry, place);
    if (entry.contains("command")) {
      const ListedServer started = listed(name, entry_of(all_words(entry, "args", place), entry));
      out.over_stdio = launch_of(started);
      out.location = location_of(started);
    }
    if (entry.contains("url")) read_url(entry, place, out);
    if (!out.over_stdio && out.url.empty()) fail(place, "has neither a command nor a url");
    if (out.url.empty() && (entry.contains("start") || entry.contains("headers"))) {
      fail(place, "has no url, so that start and headers mean nothing");
    }
    if (entry.contains("profile")) {
      out.profiles =
          read_profiles(profile_names(entry["profile"], place), transport::Party::kServer);
    }
    if (entry.contains("tools"))
      out.tools = harness::ToolPolicy::parse(text(entry, "tools", place));
    out.is_shared = !entry.contains("shared") || truth(entry["shared"], place + ": shared");
    return out;
  }

  void read_url(const OrderedJson& entry, const std::string& place,
                harness::InteropServer& out) const {
    OrderedJson at_url = {{"url", entry["url"]}};
    if (entry.contains("headers")) at_url["headers"] = entry["headers"];
    const ListedServer reached = listed(out.name, at_url);
    out.url = reached.url.value;
    out.headers = reached.headers;
    if (out.location.empty()) out.location = location_of(reached);
    if (!entry.contains("start")) return;
    const OrderedJson& start = entry["start"];
    if (!start.is_array() || start.empty()) fail(place + ": start", "is no list of words");
    out.start = launch_of(listed(out.name, entry_of(start, entry)));
  }

  harness::InteropClient client(const std::string& name, const OrderedJson& entry) const {
    const std::string place = fmt::format("client '{}'", in_short(name));
    check_members(entry, place, kClientMembers);
    if (!entry.contains("command")) fail(place, "has no command");
    if (entry.contains("args") && (entry.contains("stdio") || entry.contains("http"))) {
      fail(place, "has args, which are for both transports, beside stdio or http");
    }
    harness::InteropClient out;
    out.name = name;
    out.packages = packages(entry, place);
    const bool has_own = entry.contains("stdio") || entry.contains("http");
    const auto launch = [&](const char* member, std::string_view not_its_mark) {
      std::optional<harness::Launch> found;
      if (has_own && !entry.contains(member)) return found;
      const OrderedJson words = all_words(entry, has_own ? member : "args", place);
      if (!has_own && !has_mark(words, member) && has_text(words, not_its_mark)) return found;
      const ListedServer started = listed(name, entry_of(words, entry));
      if (out.location.empty()) out.location = location_of(started);
      found = launch_of(started);
      return found;
    };
    out.over_stdio = launch("stdio", harness::kUrlMark);
    out.over_http = launch("http", harness::kServerMark);
    if (entry.contains("profile")) {
      harness::Profile known;
      for (const harness::Profile& profile :
           read_profiles(profile_names(entry["profile"], place), transport::Party::kClient).given) {
        known.add(profile);
      }
      out.ways = known.client;
    }
    if (entry.contains("oldest"))
      out.eras.push_back(era(name, entry["oldest"], place + ": oldest"));
    return out;
  }

  harness::InteropGateway gateway(const std::string& name, const OrderedJson& entry) const {
    const std::string place = fmt::format("gateway '{}'", in_short(name));
    if (!entry.contains("command")) return running_gateway(name, entry, place);
    check_members(entry, place, kGatewayMembers);
    const OrderedJson words = all_words(entry, "args", place);
    const bool to_url = has_text(words, harness::kUrlMark);
    const bool to_server = has_text(words, harness::kServerMark);
    if (to_url == to_server) {
      fail(place, "needs {url} or {server} in its args: how it reaches the server");
    }
    const ListedServer started = listed(name, entry_of(words, entry));
    harness::InteropGateway out;
    out.name = name;
    out.packages = packages(entry, place);
    out.location = location_of(started);
    out.launch = launch_of(started);
    out.far = to_url ? TransportKind::kHttp : TransportKind::kStdio;
    if (entry.contains("url")) {
      const ListedServer listens = listed(name, {{"url", entry["url"]}});
      out.url = listens.url.value;
    } else if (has_text(words, harness::kPortMark)) {
      out.url = kGatewayUrl;
    }
    return out;
  }

  harness::InteropGateway running_gateway(const std::string& name, const OrderedJson& entry,
                                          const std::string& place) const {
    check_members(entry, place, kRunningGatewayMembers);
    if (!entry.contains("url")) fail(place, "has neither a command nor a url");
    harness::InteropServer listens;
    listens.name = name;
    read_url(entry, place, listens);
    harness::InteropGateway out;
    out.name = name;
    out.location = listens.location;
    out.url = listens.url;
    out.headers = listens.headers;
    if (entry.contains("server")) out.server = text(entry, "server", place);
    return out;
  }

  // What a client's words say of the transport.
  static bool has_mark(const OrderedJson& words, std::string_view member) {
    return has_text(words, harness::kConfigMark) ||
           has_text(words, member == "stdio" ? harness::kServerMark : harness::kUrlMark);
  }
  static bool has_text(const OrderedJson& words, std::string_view text) {
    return std::any_of(words.begin(), words.end(), [&](const OrderedJson& word) {
      return word.is_string() && word.get_ref<const std::string&>().find(text) != std::string::npos;
    });
  }

  harness::InteropEra era(const std::string& name, const OrderedJson& entry,
                          const std::string& place) const {
    check_members(entry, place, kEraMembers);
    OrderedJson words = OrderedJson::array({"era"});
    if (entry.contains("args")) {
      if (!entry["args"].is_array()) fail(place + ": args", "is not a list");
      for (const OrderedJson& word : entry["args"]) words.push_back(word);
    }
    const harness::Launch launch = launch_of(listed(name, entry_of(words, entry)));
    return {"oldest", {launch.words.begin() + 1, launch.words.end()}, launch.environment};
  }

  OrderedJson all_words(const OrderedJson& entry, const char* member,
                        const std::string& place) const {
    OrderedJson words = OrderedJson::array({entry["command"]});
    if (!entry.contains(member)) return words;
    if (!entry[member].is_array()) fail(place + ": " + member, "is not a list");
    for (const OrderedJson& word : entry[member]) words.push_back(word);
    return words;
  }

  // One name or several; a file is meant from the folder of ours.
  std::vector<std::string> profile_names(const OrderedJson& json, const std::string& place) const {
    std::vector<std::string> names;
    for (const OrderedJson& each : several(json)) {
      if (!each.is_string()) fail(place + ": profile", "is no name of a profile, and no file");
      std::string name = each.get<std::string>();
      const bool is_file = harness::built_in_profile(name) == nullptr && name != "none";
      const std::filesystem::path folder(file_.folder);
      names.push_back(is_file && !folder.empty() ? (folder / name).lexically_normal().string()
                                                 : std::move(name));
    }
    return names;
  }

  std::vector<TransportKind> transports(const OrderedJson& root) const {
    std::vector<TransportKind> out;
    for (const std::string& name : names_of(root, "transports", {"stdio", "http"})) {
      out.push_back(name == "stdio" ? TransportKind::kStdio : TransportKind::kHttp);
    }
    return out;
  }
  std::vector<std::string> eras(const OrderedJson& root) const {
    return names_of(root, "eras", {"newest", "oldest"});
  }
  double timeout(const OrderedJson& root) const {
    if (!root.contains("timeout")) return 0;
    const OrderedJson& json = root["timeout"];
    const std::string digits = json.is_string() ? json.get<std::string>() : json.dump();
    char* end = nullptr;
    const double seconds = std::strtod(digits.c_str(), &end);
    const bool is_number = !digits.empty() && end == digits.c_str() + digits.size();
    if (!is_number || !(seconds >= 1) || seconds > kLongestTimeout) {
      fail("timeout", "is no number of seconds, from 1 to 3600");
    }
    return seconds;
  }

  reports::Vault& vault_;
  const Variables& variables_;
};

}  // namespace

InteropFile parse_interop_file(const std::string& text, const ListFile& file, reports::Vault& vault,
                               const Variables& variables) {
  auto parsed = reports::parse_yaml(text, reports::YamlNumbers::kAreTexts);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", in_short(file.path), *error));
  }
  return InteropFileReader(file, vault, variables).read(std::get<OrderedJson>(parsed));
}

InteropFile read_interop_file(const std::string& path, reports::Vault& vault,
                              const Variables& variables) {
  const reports::FileText text = reports::read_file(path);
  if (!text.error.empty()) throw UsageError(text.error);
  ListFile file{.path = path, .is_project = false};
  file.folder = std::filesystem::absolute(path).parent_path().string();
  return parse_interop_file(text.text, file, vault, variables);
}

}  // namespace assay::cli
