// The options --extension and --drafts: which extensions a subcommand knows beside a revision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/command.h"
#include "reference/model/extension.h"

namespace assay::cli {

// The extension of that name or identifier. Throws UsageError, which names the known ones, if there
// is none.
const model::Extension& parse_extension_option(const std::string& text);
std::vector<const model::Extension*> parse_extension_options(const std::vector<std::string>& texts);

// Which extensions are judged, and whether drafts of them bind.
class JudgedExtensionsOption {
 public:
  // `help`: of --extension.
  void declare(Arguments& arguments, const char* help);
  bool is_given() const { return !names_.empty(); }
  std::vector<const model::Extension*> extensions() const {
    return parse_extension_options(names_);
  }
  bool binds_drafts() const { return binds_drafts_; }

 private:
  std::vector<std::string> names_;
  bool binds_drafts_ = false;
};

// A scenario that is named as it is, and not by a pattern, asks for its extension; one that has
// none is "".
void add_named_extension(const std::vector<std::string>& named, std::string_view scenario,
                         std::string_view extension,
                         std::vector<const model::Extension*>& extensions);
// The revision with these extensions. Throws UsageError for one that does not extend it.
model::Protocol protocol_of(model::Revision revision,
                            const std::vector<const model::Extension*>& extensions);

}  // namespace assay::cli
