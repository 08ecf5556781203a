// mcp-assay schema: the wire model of one revision as JSON Schema.
#include <fmt/format.h>

#include <string>

#include "harness/cli/command.h"
#include "harness/cli/revision_option.h"
#include "reference/model/json_schema.h"

namespace assay::cli {
namespace {

class SchemaCommand : public Command {
 public:
  std::string_view name() const override { return "schema"; }
  std::string_view summary() const override {
    return "Print a revision's messages as JSON Schema 2020-12";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--revision", revision_, "REVISION", "The revision, such as 2025-11-25");
    arguments.footer("Every type is in $defs; the document itself describes one message.");
  }

  int run() override {
    const model::Revision revision = parse_revision_option(revision_);
    fmt::print("{}\n", model::json_schema(revision).dump(2));
    return kConformant;
  }

 private:
  std::string revision_;
};

const CommandRegistration<SchemaCommand> kSchemaCommandRegistration;

}  // namespace
}  // namespace assay::cli
