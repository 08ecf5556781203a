#include "reference/server/session_testing.h"

#include "reference/wire/message.h"

namespace assay::server {

void TestClient::send_text(const std::string& text) {
  session_->receive(wire::decode(text), sink_);
}

}  // namespace assay::server
