// mcp-assay list: what the suite knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/list_topics.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

class ListCommand : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override {
    return "List requirements, scenarios, faults and more";
  }

  void declare(Arguments& arguments) override {
    std::vector<std::string> topics{"requirements", "coverage"};
    for (const auto& [topic, print] : kSimpleTopics) topics.emplace_back(topic);
    arguments.positional_choice("TOPIC", topic_, topics,
                                fmt::format("{}", fmt::join(topics, ", ")));
    arguments.flag("--json", as_json_, "Print JSON");
    arguments.group("With 'requirements'");
    arguments.text("--revision", filter_.revision, "REVISION", "Only those of this revision");
    arguments.text("--area", filter_.area, "AREA", "Only those of this area, such as pagination");
    arguments.text("--subject", filter_.subject, "SUBJECT",
                   "Only those for this side: server, client, host, ...");
    arguments.text("--level", filter_.level, "LEVEL", "Only those of this level, such as MUST");
    arguments.text("--extension", filter_.extension, "ID",
                   "Only those of this extension, such as tasks");
    arguments.text("--catalogue", filter_.catalogue, "VERSION",
                   "Only those of this version of the catalogue");
    arguments.flag("--uncovered", filter_.only_uncovered,
                   "Only observable ones that no scenario and no monitor judges");
    arguments.group("With 'coverage'");
    arguments.choice("--format", coverage_.format, {"text", "markdown", "tsv", "json"},
                     "Print the coverage in this format");
    arguments.text("--check", coverage_.check, "FILE",
                   "Fail if the coverage is below the one recorded in FILE");
    arguments.text("--record", coverage_.record, "FILE", "Record the coverage in FILE");
    arguments.text("--update", coverage_.update, "FILE",
                   "Renew the coverage table in this Markdown document");
    arguments.footer(
        "Examples:\n"
        "  mcp-assay list requirements --revision 2025-11-25 --subject server --level MUST\n"
        "  mcp-assay list requirements --uncovered\n"
        "  mcp-assay list coverage");
  }

  int run() override {
    if (topic_ == "requirements") {
      refuse_options_of("coverage", has_coverage_options());
      filter_.as_json = as_json_;
      list_requirements(filter_);
      return kConformant;
    }
    refuse_options_of("requirements", has_requirement_options());
    if (topic_ == "coverage") {
      if (as_json_) coverage_.format = "json";
      return list_coverage(coverage_);
    }
    refuse_options_of("coverage", has_coverage_options());
    for (const auto& [topic, print] : kSimpleTopics) {
      if (topic == topic_) print(as_json_);
    }
    return kConformant;
  }

 private:
  bool has_requirement_options() const {
    return !filter_.revision.empty() || !filter_.area.empty() || !filter_.subject.empty() ||
           !filter_.level.empty() || !filter_.extension.empty() || !filter_.catalogue.empty() ||
           filter_.only_uncovered;
  }
  bool has_coverage_options() const {
    return coverage_.format != "text" || !coverage_.check.empty() || !coverage_.record.empty() ||
           !coverage_.update.empty();
  }
  static void refuse_options_of(const char* topic, bool are_given) {
    if (are_given)
      throw UsageError(fmt::format("an option is given that belongs to 'list {}'", topic));
  }

  static constexpr std::pair<std::string_view, void (*)(bool)> kSimpleTopics[] = {
      {"scenarios", list_scenarios}, {"monitors", list_monitors},   {"profiles", list_profiles},
      {"faults", list_faults},       {"revisions", list_revisions}, {"extensions", list_extensions},
      {"servers", list_servers},
  };

  std::string topic_;
  bool as_json_ = false;
  RequirementFilter filter_;
  CoverageOptions coverage_;
};

const CommandRegistration<ListCommand> kListCommandRegistration;

}  // namespace
}  // namespace assay::cli
