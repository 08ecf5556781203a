// Which requests the target answers by asking for input, found by sending each that may be sent.
//
// Specification of 2026-07-28: basic/patterns/mrtr.
#pragma once

#include "fuzz/live/target/vocabulary.h"
#include "harness/script/connection.h"

namespace assay::fuzz {

// Fills `words.rounds`, from the tools, prompts and resources in it.
void take_input_rounds(harness::Connection& connection, Vocabulary& words);

}  // namespace assay::fuzz
