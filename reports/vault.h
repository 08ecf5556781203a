// What must not leave: the values that the user gave in confidence, and the credentials that pass.
//
// A value is hidden wherever it appears, without the scheme that stood before it: a server may
// repeat the bare token of "Bearer ...". In its place stands a label, the same for the same value,
// so that a reader still tells equal from different: "token#1".
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "reports/redact.h"
#include "reports/result.h"

namespace assay::reports {

// Header fields that hold credentials by their nature: Authorization, Cookie, X-Api-Key, ...
bool is_credential_field(std::string_view name);

// Thread safety: all functions may be called from any thread.
class Vault {
 public:
  // What the user gave. `shown` stands in its place; empty: the next label.
  void add(const std::string& value, const std::string& shown = "");
  // A header field that the user gave, "Bearer ..." or "sid=...; theme=...".
  void add_field(std::string_view name, std::string_view value);
  // Credentials among the values of a URL's query, told by their names.
  void add_query(std::string_view url);

  // A field that holds credentials, as it may be kept: "Bearer token#1", "sid=token#2; Path=/". Its
  // credentials are hidden everywhere from then on, as far as they are no words found everywhere.
  std::string mask_field(std::string_view name, std::string_view value);
  // The same of what its own name says to be a credential: a code, a token. A label stays as it is.
  std::string mask_value(const std::string& value);

  // The value that the label stands for, to be judged and not to be shown; the text itself where it
  // is no label.
  std::string value_of(std::string_view label) const;

  // Both hide the values wherever they stand, see redact.h.
  void redact(std::string& text) const;
  void redact(Result& result) const;
  // The same of a piece of a longer text, at whose ends a value may be cut in two.
  void redact_piece(std::string& text) const;
  // The same of a text of our own that quotes the target, and may have cut what it quotes.
  void redact_quoted(std::string& text) const;

 private:
  // A peer may send credentials without end. What is beyond this is masked without a label.
  static constexpr std::size_t kMostLabels = 1000;
  // Of a peer's values these are searched for elsewhere; shorter ones may be ordinary words.
  static constexpr std::size_t kShortestLearned = 16;
  static constexpr std::size_t kMostLearned = 64;
  static constexpr std::size_t kLongestLearned = 8192;

  std::string label_locked(const std::string& value);
  void add_locked(const std::string& value, const std::string& shown);

  mutable std::mutex mutex_;                   // guards all below
  std::map<std::string, std::string> labels_;  // what stands in place of each value
  std::vector<Secret> secrets_;                // what is searched for
  std::size_t labelled_ = 0;                   // of labels_, those of values that others showed
  std::size_t learned_ = 0;                    // how many of them a peer's fields gave
  int last_label_ = 0;
};

}  // namespace assay::reports
