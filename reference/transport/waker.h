// How one who does not wait is told that there may be something new.
#pragma once

namespace assay::transport {

class Waker {
 public:
  virtual ~Waker() = default;
  // From any thread, and with any lock of the caller's held: it neither waits nor calls back.
  virtual void wake() = 0;
};

}  // namespace assay::transport
