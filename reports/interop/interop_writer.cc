#include "reports/interop/interop_writer.h"

#include <algorithm>
#include <array>

#include "reports/interop/interop_html.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/interop_junit.h"
#include "reports/interop/interop_markdown.h"
#include "reports/interop/interop_text.h"

namespace assay::reports {
namespace {

std::string in_plain_text(const InteropResult& result) {
  return render_interop_text(result, TerminalOptions());
}

constexpr std::array kInteropFormats = {
    InteropFormat{"html", render_interop_html}, InteropFormat{"json", render_interop_json},
    InteropFormat{"junit", render_interop_junit},
    InteropFormat{"markdown", render_interop_markdown}, InteropFormat{"text", in_plain_text}};

}  // namespace

std::span<const InteropFormat> interop_formats() {
  return kInteropFormats;
}

const InteropFormat* find_interop_format(std::string_view name) {
  const auto found = std::find_if(kInteropFormats.begin(), kInteropFormats.end(),
                                  [&](const InteropFormat& each) { return each.name == name; });
  return found == kInteropFormats.end() ? nullptr : &*found;
}

}  // namespace assay::reports
