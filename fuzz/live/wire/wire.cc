#include "fuzz/live/wire/wire.h"

namespace assay::fuzz {

std::unique_ptr<Wire> make_wire(const WireSetting& setting, bool is_fresh) {
  return setting.access.kind.is_streamable_http() ? make_http_wire(setting, is_fresh)
                                                  : make_line_wire(setting, is_fresh);
}

}  // namespace assay::fuzz
