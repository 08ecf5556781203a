// mcp-assay list: what the suite knows.
#include <fmt/format.h>

#include <string>

#include "harness/cli/command.h"
#include "reference/model/revision.h"

namespace assay::cli {
namespace {

class ListCommand : public Command {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override { return "List what the suite knows"; }

  void declare(Arguments& arguments) override {
    arguments.positional("TOPIC", topic_, true, "revisions");
  }

  int run() override {
    if (topic_ != "revisions") {
      throw UsageError(fmt::format("unknown topic '{}'; known: revisions", topic_));
    }
    for (const model::Revision revision : model::Revision::all()) {
      fmt::print("{}\n", revision.text());
    }
    return kConformant;
  }

 private:
  std::string topic_;
};

const CommandRegistration<ListCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
