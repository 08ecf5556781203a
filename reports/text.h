// Words that several writers share. What quotes the target is already printable on one line.
#pragma once

#include <string>
#include <string_view>

#include "reports/result.h"

namespace assay::reports {

// "server-everything 2.0.0"; "demo (server-everything 2.0.0)" if a list calls it demo; the command
// or URL if it did not introduce itself.
std::string target_title(const Target& target);
// The command as a shell line, or the URL.
std::string target_location(const Target& target);
// Who spoke: "client", "server", "standard error".
std::string_view speaker_word(const Evidence& evidence);
// The same, and whether we made it wrong on purpose: "client (wrong on purpose)".
std::string speaker_words(const Evidence& evidence);
// "not exercised".
std::string_view outcome_words(Outcome outcome);
// The address if it is one of the web, printable; empty if it is anything else, such as a script.
std::string web_address(std::string_view address);
// The page of that rule under Result::rules_url; empty if none is given.
std::string rule_address(std::string_view rules_url, std::string_view requirement);
// The command that shows the verdict again, whole and as a shell takes it. Empty if there is none,
// or none that may be shown: one that would have to be cut or spelled out is of no use to a shell.
std::string command_text(const Verdict& verdict);
// Why a verdict neither passes nor fails the run: expected, advisory, not exercised, ...
std::string why_not_counted(const Verdict& verdict);
// "tools.* in 2025-11-25 over stdio".
std::string stale_title(const StaleExpectation& stale);
// What a result comes to, in one line: "Conformant in 4 runs; 210 of 340 rules exercised";
// "1 requirement violated; 2 of 4 runs could not be tested; 90 of 340 rules exercised".
std::string conclusion(const Result& result);
// "0.8 s", "42 ms".
std::string duration_text(std::int64_t milliseconds);
// "84 sessions, 1240 requests, 1.3 MB"; empty if nothing was counted.
std::string cost_text(const Cost& cost);
// "3.0 s for what did not come: stdio_server_exits 2.0 s, ...": each scenario that waited for 100 ms
// or more, the longest first; empty where none did.
std::string waits_text(const Cost& cost);
// "io.modelcontextprotocol/tasks (declared)"; empty if the run judged no extension.
std::string extensions_text(const Run& run);
// Of all runs, each once: "io.modelcontextprotocol/tasks (declared) in 2026-07-28".
std::string extensions_text(const Result& result);
// ISO 8601 without the zone, as JUnit's schema has it: "2026-01-31T12:00:00".
std::string timestamp(std::string_view iso8601);
// A step of a verdict's history: "seen by ping_is_answered: waited 5.0 s for the answer to ping".
std::string words_of(const Step& step);
// "1 violation", "2 violations".
std::string plural(int number, std::string_view word);

}  // namespace assay::reports
