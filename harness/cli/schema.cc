// mcp-assay schema: the wire model of one revision, or a file that users write, as JSON Schema.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/revision_option.h"
#include "harness/project/file_schemas.h"
#include "reference/model/json_schema.h"

namespace assay::cli {
namespace {

class SchemaCommand : public Command {
 public:
  std::string_view name() const override { return "schema"; }
  std::string_view summary() const override {
    return "Print a revision's messages, or a file's format, as JSON Schema";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--revision", revision_, "REVISION", "The revision, such as 2025-11-25");
    arguments.texts("--extension", extensions_, "ID",
                    "An extension whose messages belong to it, such as tasks (repeatable)");
    arguments.choice("--of", file_, file_schema_names(),
                     "Print the format of a file that users write, or of the report, instead of "
                     "messages");
    arguments.footer(
        "Every type is in $defs; the document itself describes one message.\n"
        "\n"
        "Editors with a YAML language server understand '# yaml-language-server: $schema=PATH'.");
  }

  int run() override {
    if (!file_.empty()) {
      if (!revision_.empty()) throw UsageError("--of and --revision do not go together");
      if (!extensions_.empty()) throw UsageError("--of and --extension do not go together");
      fmt::print("{}\n", file_schema(file_).dump(2));
      return kConformant;
    }
    const model::Revision revision = parse_revision_option(revision_);
    const auto extensions = parse_extension_options(extensions_);
    fmt::print("{}\n", model::json_schema(protocol_of(revision, extensions)).dump(2));
    return kConformant;
  }

 private:
  std::string revision_;
  std::vector<std::string> extensions_;
  std::string file_;
};

const CommandRegistration<SchemaCommand> kSchemaCommandRegistration;

}  // namespace
}  // namespace assay::cli
