// What a house serves: a server that a client under test finds there.
#pragma once

#include <string_view>

#include "reference/transport/http_conduct.h"
#include "reference/transport/server_transport.h"

namespace assay::harness {

// Thread safety: any thread may call any member.
class Hosted : public transport::SessionFactory, public transport::HttpConduct {
 public:
  // Over stdio neither the end of its input nor a signal ends it, SIGKILL apart; it is told of them
  // (0: SIGKILL).
  virtual bool defies() const { return false; }
  virtual void note_input_end() {}
  virtual void note_signal(int /*signal*/) {}
  // What it writes to its standard error, once, over stdio: asked with each line of the client's
  // until there is something. A literal.
  virtual std::string_view log() const { return ""; }
};

}  // namespace assay::harness
