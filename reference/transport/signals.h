// Which threads take signals, and what they are called.
#pragma once

#include <string>

namespace assay::transport {

// From now on the calling thread takes no signals: they are for the one that waits for them. Nor
// does SIGPIPE end the program where the thread writes to a peer that is gone.
void take_no_signals();

// "signal 11 (SIGSEGV)", for people.
std::string signal_words(int signal);

}  // namespace assay::transport
