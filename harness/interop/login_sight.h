// What the traffic of a cell shows of a login: the client is refused for want of a token, gets one
// from the authorization server that the server names, and is let in with it. What passes between the client and an
// authorization server does not come by here.
#pragma once

#include "harness/interop/act_sights.h"

namespace assay::harness {

struct LoginSight {
  ActSight act;
  // The client was refused for want of a token, and was never let in: nothing else can be told of
  // it.
  bool is_kept_out = false;
};

LoginSight login_in(const CellView& view);

}  // namespace assay::harness
