// A conversation as something to be judged: who is under test, and what is known of it.
//
// Monitors, verdicts and reports read traces and do not ask how one came about: by scenarios, in
// the middle between two strangers, or from a file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/script/link.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"

namespace assay::harness {

struct Trace {
  std::span<const EventPtr> events;  // of one connection, in order; they outlive the trace
  TransportKind transport = TransportKind::kStdio;
  // Whose breaches are to be reported; nothing: both parties'.
  std::optional<Party> under_test;
  // The revision that is spoken, where somebody chose it; nothing: the traffic tells.
  std::optional<model::Revision> revision;
  // Why nobody knows for certain what passed before a message: "the recording begins in the
  // middle". Empty: all is there, in order. Where it is not, only what a message shows by itself,
  // or with the request that it answers, can be broken.
  std::string gap = {};
  // Values were taken out of it (`gap` says so): nobody can be held to what stands in their place.
  bool is_altered = false;
  // The events go on to the end of the connection.
  bool is_whole = true;

  bool is_under_test(Party party) const { return !under_test || *under_test == party; }
};

// The revision that a session speaks as a whole, as its traffic tells: what `initialize` was
// answered with, else what the first message names in its `_meta`, else what the first HTTP request
// names (MCP-Protocol-Version), else what `initialize` asked for. Nothing if that is none that we
// know.
std::optional<model::Revision> revision_of(std::span<const EventPtr> events);

// What a request says in its `_meta` of the revision that it is in (2026-07-28 on); nothing where
// it says nothing, or names one that we do not know.
std::optional<model::Revision> revision_of(const wire::Message& request);

}  // namespace assay::harness
