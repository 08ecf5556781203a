// Planted bugs: ways in which clients really break, for the fuzzer of clients to find.
//
// A fault (faults/) breaks a requirement whenever it can; a bug waits for what triggers it,
// crashes, hangs, grows or says what it must not, and is found only by whoever goes looking. It is
// made of what faults are made of. To add one, write an entry into the table of its kind.
#pragma once

#include <string_view>
#include <vector>

#include "reference/client/faults/fault.h"

namespace assay::client {

struct Bug {
  // Stable, in words joined by hyphens.
  std::string_view id;
  std::string_view description;  // "Crashes on ..."
  // What the fuzzer of clients should call it: "crash", "hang", "unasked-answer", ...
  std::string_view shows_as;
  SeenOver seen_over = SeenOver::kAnyWire;
  // How it is done; it breaks nothing that has a name.
  Fault how = {};
};

// All of them.
const std::vector<Bug>& all_bugs();
// Nothing if there is none of that id.
const Bug* find_bug(std::string_view id);

// The tables.
std::vector<Bug> crash_bugs();
std::vector<Bug> speech_bugs();
std::vector<Bug> wire_bugs();

}  // namespace assay::client
