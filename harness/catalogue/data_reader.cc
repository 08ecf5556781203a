#include "harness/catalogue/data_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "harness/catalogue/vocabulary.h"
#include "reference/model/extension.h"
#include "reports/digest.h"

namespace assay::catalogue {
namespace {

constexpr std::array kEntryKeys = {"id",         "summary", "level",   "subject", "transport",
                                   "capability", "observe", "reason",  "unseen",  "judged",
                                   "part",       "added",   "implied", "in",      "unexercised",
                                   "hint",       "about",   "needs"};
constexpr std::array kDefaultKeys = {"unexercised", "hint", "added"};
constexpr std::array kSideKeys = {"server", "client"};
constexpr std::array kHoldingKeys = {"at", "also", "level", "subject", "note"};
constexpr std::string_view kGone = "gone";          // in place of a holding
constexpr std::string_view kChanges = "changelog";  // the page that lists what a revision changes
constexpr std::string_view kOfExtension = "ext-";   // before its name: the area

constexpr bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_words(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_alnum(c) || c == '-'; });
}

// Reads one file. Every method notes what is wrong and carries on, so that one build names it all.
class AreaReader {
 public:
  AreaReader(std::string area, CatalogueData& data) : area_(std::move(area)), data_(data) {}
  AreaReader(const model::Extension& extension, CatalogueData& data)
      : area_(std::string(kOfExtension) + extension.name), extension_(&extension), data_(data) {}

  void read(const YAML::Node& root) {
    if (!root.IsSequence()) return problem("the file is not a list of requirements");
    for (const YAML::Node& node : root) {
      if (node.IsMap() && node["defaults"]) {
        read_defaults(node);
      } else {
        read_entry(node);
      }
    }
  }
  void problem(const std::string& text) {
    data_.problems.push_back(
        fmt::format("{}.yaml: {}{}{}", area_, id_, id_.empty() ? "" : ": ", text));
  }

 private:
  // What holds for every entry that does not say it itself.
  void read_defaults(const YAML::Node& node) {
    id_.clear();
    const YAML::Node defaults = node["defaults"];
    if (has_begun_ || node.size() != 1 || !defaults.IsMap()) {
      return problem("'defaults' stands alone, and before every entry");
    }
    check_keys(defaults, kDefaultKeys);
    read_added(defaults, added_);
    unexercised_ = required(defaults, "unexercised");
    hint_ = scalar(defaults, "hint");
  }

  void read_entry(const YAML::Node& node) {
    id_.clear();
    has_begun_ = true;
    if (!node.IsMap()) return problem("an entry is not a map");
    id_ = scalar(node, "id");
    check_keys(node, kEntryKeys);
    RequirementData entry;
    entry.id = id_;
    if (extension_ != nullptr) entry.extension = extension_->name;
    check_id();
    entry.summary = required(node, "summary");
    if (!entry.summary.empty() && entry.summary.back() != '.')
      problem("the summary lacks its full stop");
    entry.subject = one_of(node, "subject", kSubjects);
    entry.transport = one_of(node, "transport", kTransports);
    entry.observe = one_of(node, "observe", kObservations);
    entry.capability = scalar(node, "capability");
    if (!entry.capability.empty() && !is_capability(entry.capability)) {
      problem(fmt::format("unknown capability '{}'", entry.capability));
    }
    entry.reason = scalar(node, "reason");
    if (entry.observe == "no" && entry.reason.empty()) problem("observe: no needs a reason");
    if (entry.observe != "no" && !entry.reason.empty())
      problem("a reason goes with observe: no only");
    read_unseen(node, entry);
    read_judged(node, entry);
    read_situation(node, entry);
    entry.added = added_;
    read_added(node, entry.added);
    if (node["implied"]) {
      entry.is_implied = scalar(node, "implied") == "true";
      if (!entry.is_implied) problem("'implied' is true or left out");
    }
    if (node["about"]) {
      entry.is_about_status = scalar(node, "about") == "status";
      if (!entry.is_about_status) problem("'about' is status or left out");
    }
    if (node["needs"]) entry.needs = one_of(node, "needs", kNeeds);
    read_holdings(node, entry);
    data_.requirements.push_back(std::move(entry));
  }

  void check_id() {
    const std::size_t dot = id_.find('.');
    if (dot == std::string::npos || id_.substr(0, dot) != area_) {
      return problem(fmt::format("the id must begin with '{}.'", area_));
    }
    if (!is_words(std::string_view(id_).substr(dot + 1))) {
      problem("the id is not lower-case words joined by '-'");
    }
  }

  // The side whom nobody can watch, of a statement that binds both, and why.
  void read_unseen(const YAML::Node& node, RequirementData& entry) {
    const YAML::Node unseen = node["unseen"];
    if (!unseen) return;
    if (!unseen.IsMap()) return problem("'unseen' names a side and a reason");
    check_keys(unseen, kSideKeys);
    entry.unseen_of_server = scalar(unseen, "server");
    entry.unseen_of_client = scalar(unseen, "client");
    const bool is_one_side = entry.unseen_of_server.empty() != entry.unseen_of_client.empty();
    if (entry.subject != "both" || entry.observe == "no" || !is_one_side) {
      problem("'unseen' is for one side of what binds both and can be observed");
    }
  }

  // Which part of the statement its checks decide, where it is not the whole.
  void read_judged(const YAML::Node& node, RequirementData& entry) {
    const std::string judged = scalar(node, "judged");
    entry.part_judged = scalar(node, "part");
    if (node["judged"] && judged != "part") problem("'judged' is part or left out");
    if ((judged == "part") != !entry.part_judged.empty()) {
      problem("'judged: part' and 'part', which says what is judged, go together");
    }
    if (!entry.part_judged.empty() && entry.observe == "no") {
      problem("a statement that cannot be observed is not judged in part");
    }
  }

  // Why a rule that came to nothing did so, and what would bring it about.
  void read_situation(const YAML::Node& node, RequirementData& entry) {
    entry.unexercised = node["unexercised"] ? scalar(node, "unexercised") : unexercised_;
    entry.hint = node["unexercised"] || node["hint"] ? scalar(node, "hint") : hint_;
    const bool is_servers = entry.subject == "server" || entry.subject == "both";
    if (is_servers && entry.observe != "no" && entry.unexercised.empty()) {
      problem("lacks 'unexercised': why it may not have been exercised");
    }
    for (const std::string& text : {entry.unexercised, entry.hint}) {
      if (text.ends_with('.')) problem("'unexercised' and 'hint' are parts of sentences");
    }
  }

  void read_added(const YAML::Node& node, int& added) {
    if (!node["added"]) return;
    const std::string text = scalar(node, "added");
    if (text.empty() || text.size() > 4 ||
        text.find_first_not_of("0123456789") != std::string::npos || std::stoi(text) < 1) {
      return problem(fmt::format("'added' is no version of the catalogue: '{}'", text));
    }
    added = std::stoi(text);
  }

  void read_holdings(const YAML::Node& node, RequirementData& entry) {
    std::optional<reports::Level> level;
    if (node["level"]) level = read_level(node);
    const YAML::Node in = node["in"];
    if (!in || !in.IsMap() || in.size() == 0) return problem("holds in no revision");
    const std::map<model::Revision, YAML::Node> changes = read_changes(in);
    for (const model::Revision revision : model::Revision::all()) {
      inherit(revision, entry);
      const auto change = changes.find(revision);
      if (change == changes.end()) continue;
      if (change->second.IsScalar() && change->second.Scalar() == kGone) {
        end(revision, entry);
      } else {
        hold(revision, entry, read_holding(change->second, level, entry.subject));
      }
    }
  }

  std::map<model::Revision, YAML::Node> read_changes(const YAML::Node& in) {
    std::map<model::Revision, YAML::Node> changes;
    for (const auto& item : in) {
      const auto revision = model::Revision::parse(item.first.Scalar());
      if (!revision) {
        problem(fmt::format("unknown revision '{}'", item.first.Scalar()));
        continue;
      }
      if (extension_ != nullptr && !extension_->extends(*revision)) {
        problem(fmt::format("the extension does not extend {}", revision->text()));
      }
      if (changes.contains(*revision)) {
        problem(fmt::format("names {} twice", revision->text()));
      } else if (!changes.empty() && *revision < changes.rbegin()->first) {
        problem(fmt::format("names {} after a later revision", revision->text()));
      }
      changes[*revision] = item.second;
    }
    return changes;
  }

  // Where an entry does not say otherwise, it holds as in the revision that this one is based on.
  // The list of changes is another one in each revision.
  static void inherit(model::Revision revision, RequirementData& entry) {
    const auto base = revision.based_on();
    if (!base) return;
    const auto inherited = entry.in.find(*base);
    if (inherited == entry.in.end() || inherited->second.at.page == kChanges) return;
    HoldingData& holding = entry.in[revision] = inherited->second;
    std::erase_if(holding.also, [](const Place& place) { return place.page == kChanges; });
  }

  void end(model::Revision revision, RequirementData& entry) {
    if (entry.in.erase(revision) > 0) return;
    problem(fmt::format("is gone in {}, but did not hold before", revision.text()));
  }

  void hold(model::Revision revision, RequirementData& entry, HoldingData holding) {
    const auto inherited = entry.in.find(revision);
    if (inherited != entry.in.end() && inherited->second == holding) {
      return problem(
          fmt::format("says of {} what holds there anyway: leave the line out", revision.text()));
    }
    entry.in[revision] = std::move(holding);
  }

  HoldingData read_holding(const YAML::Node& node, std::optional<reports::Level> level,
                           const std::string& subject) {
    HoldingData holding;
    holding.subject = subject;
    if (node.IsMap()) {
      check_keys(node, kHoldingKeys);
      holding.at = place(required(node, "at"));
      if (node["level"]) level = read_level(node);
      if (node["subject"]) holding.subject = one_of(node, "subject", kSubjects);
      holding.note = scalar(node, "note");
      if (node["also"]) {
        if (!node["also"].IsSequence()) problem("'also' is not a list");
        for (const YAML::Node& other : node["also"]) holding.also.push_back(place(other.Scalar()));
      }
    } else {
      holding.at = place(node.IsScalar() ? node.Scalar() : "");
    }
    if (!level) problem("lacks 'level'");
    holding.level = level.value_or(reports::Level::kMust);
    return holding;
  }

  Place place(const std::string& text) {
    const std::size_t hash = text.find('#');
    if (hash == std::string::npos || hash == 0) {
      problem(fmt::format("'{}' is not page#anchor ('page#' is the page's top)", text));
      return {};
    }
    return {text.substr(0, hash), text.substr(hash + 1)};
  }

  std::optional<reports::Level> read_level(const YAML::Node& node) {
    const std::string text = scalar(node, "level");
    const auto level = parse_keyword(text);
    if (!level) problem(fmt::format("unknown level '{}'", text));
    return level;
  }

  std::string scalar(const YAML::Node& node, const char* key) {
    const YAML::Node value = node[key];
    if (!value) return "";
    if (!value.IsScalar()) {
      problem(fmt::format("'{}' is not a plain text", key));
      return "";
    }
    return value.Scalar();
  }

  std::string required(const YAML::Node& node, const char* key) {
    std::string text = scalar(node, key);
    if (text.empty()) problem(fmt::format("lacks '{}'", key));
    return text;
  }

  template <typename Words>
  std::string one_of(const YAML::Node& node, const char* key, const Words& words) {
    std::string text = required(node, key);
    if (!text.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
      problem(fmt::format("unknown {} '{}'; known: {}", key, text, fmt::join(words, ", ")));
    }
    return text;
  }

  template <typename Keys>
  void check_keys(const YAML::Node& node, const Keys& keys) {
    std::set<std::string> seen;
    for (const auto& item : node) {
      const std::string key = item.first.Scalar();
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        problem(fmt::format("unknown key '{}'", key));
      }
      if (!seen.insert(key).second) problem(fmt::format("names '{}' twice", key));
    }
  }

  std::string area_;
  const model::Extension* extension_ = nullptr;
  std::string unexercised_;  // the defaults
  std::string hint_;
  int added_ = 1;
  bool has_begun_ = false;  // there was an entry
  std::string id_;
  CatalogueData& data_;
};

void read_file(const std::filesystem::path& file, AreaReader reader) {
  try {
    reader.read(YAML::LoadFile(file.string()));
  } catch (const YAML::Exception& error) {
    reader.problem(error.what());
  }
}

void read_extensions(const std::filesystem::path& folder, CatalogueData& data) {
  if (folder.empty()) return;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    const std::string name = item.path().filename().string();
    const model::Extension* const extension = model::find_extension(name);
    if (extension == nullptr) {
      data.problems.push_back(fmt::format("extensions/{}: no tables.cc names it", name));
    } else {
      read_file(item.path() / "statements.yaml", AreaReader(*extension, data));
    }
  }
}

}  // namespace

CatalogueData read_data(const std::filesystem::path& folder,
                        const std::filesystem::path& extensions) {
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    if (item.path().extension() == ".yaml") files.push_back(item.path());
  }
  std::sort(files.begin(), files.end());

  CatalogueData data;
  for (const auto& file : files) read_file(file, AreaReader(file.stem().string(), data));
  read_extensions(extensions, data);
  auto& all = data.requirements;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].id == all[i - 1].id)
      data.problems.push_back(fmt::format("{}: stands twice", all[i].id));
  }
  return data;
}

std::string digest(const std::vector<RequirementData>& requirements) {
  std::string text;
  for (const RequirementData& entry : requirements) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", entry.id, entry.summary,
                        entry.subject, entry.transport, entry.capability, entry.observe,
                        entry.reason, entry.added, entry.is_implied ? "implied" : "");
    if (!entry.extension.empty()) text += fmt::format("\textension: {}\n", entry.extension);
    if (!entry.unseen_of_server.empty())
      text += fmt::format("\tserver: {}\n", entry.unseen_of_server);
    if (!entry.unseen_of_client.empty())
      text += fmt::format("\tclient: {}\n", entry.unseen_of_client);
    if (!entry.part_judged.empty()) text += fmt::format("\tpart: {}\n", entry.part_judged);
    if (entry.is_about_status) text += "\tabout: status\n";
    if (!entry.needs.empty()) text += fmt::format("\tneeds: {}\n", entry.needs);
    for (const auto& [revision, holding] : entry.in) {
      text +=
          fmt::format("\t{}\t{}\t{}\t{}#{}\t{}", revision.text(), static_cast<int>(holding.level),
                      holding.subject, holding.at.page, holding.at.anchor, holding.note);
      for (const Place& place : holding.also)
        text += fmt::format("\t{}#{}", place.page, place.anchor);
      text += '\n';
    }
  }
  return "sha256:" + reports::sha256_hex(text);
}

}  // namespace assay::catalogue
