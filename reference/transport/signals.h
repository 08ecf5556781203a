// Which threads take signals.
#pragma once

namespace assay::transport {

// From now on the calling thread takes no signals: they are for the one that waits for them. Nor
// does SIGPIPE end the program where the thread writes to a peer that is gone.
void take_no_signals();

}  // namespace assay::transport
