#include "harness/frame/extension_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/frame/did_you_mean.h"

namespace assay::cli {

const model::Extension& parse_extension_option(const std::string& text) {
  if (const auto* const extension = model::find_extension(text)) return *extension;
  std::vector<std::string> known;
  for (const model::Extension& extension : model::extensions()) known.push_back(extension.name);
  throw UsageError(unknown_name("extension", text, known));
}

std::vector<const model::Extension*> parse_extension_options(
    const std::vector<std::string>& texts) {
  std::vector<const model::Extension*> extensions;
  for (const std::string& text : texts) extensions.push_back(&parse_extension_option(text));
  return extensions;
}

void JudgedExtensionsOption::declare(Arguments& arguments, const char* help) {
  arguments.texts("--extension", names_, "ID", help);
  arguments.flag("--drafts", binds_drafts_,
                 "Judge drafts of extensions as they are written (default: what they demand is "
                 "reported as advice)");
}

void add_named_extension(const std::vector<std::string>& named, std::string_view scenario,
                         std::string_view extension,
                         std::vector<const model::Extension*>& extensions) {
  const auto* const its = model::find_extension(extension);
  const bool is_named = std::find(named.begin(), named.end(), scenario) != named.end();
  const bool is_new = std::find(extensions.begin(), extensions.end(), its) == extensions.end();
  if (its != nullptr && its->is_draft && is_named && is_new) extensions.push_back(its);
}

model::Protocol protocol_of(model::Revision revision,
                            const std::vector<const model::Extension*>& extensions) {
  model::Protocol protocol = revision;
  for (const model::Extension* extension : extensions) {
    if (!extension->extends(revision)) {
      throw UsageError(fmt::format("the extension {} does not extend {}, but {}", extension->name,
                                   revision.text(), extension->base.text()));
    }
    protocol.extensions = protocol.extensions | model::set_of(*extension);
  }
  return protocol;
}

}  // namespace assay::cli
