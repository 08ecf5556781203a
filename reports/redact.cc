#include "reports/redact.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace assay::reports {
namespace {

// Both forms of each, the longest first: one value may hold another.
std::vector<Secret> forms(std::span<const Secret> secrets) {
  std::vector<Secret> out;
  for (const Secret& secret : secrets) {
    if (secret.value.size() < kShortestSecret) continue;
    out.push_back(secret);
    const std::string quoted =
        nlohmann::json(secret.value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string inner = quoted.substr(1, quoted.size() - 2);
    if (inner != secret.value) out.push_back({inner, secret.shown});
  }
  std::stable_sort(out.begin(), out.end(), [](const Secret& a, const Secret& b) {
    return a.value.size() > b.value.size();
  });
  return out;
}

void replace_all(std::string& text, std::span<const Secret> all) {
  for (const Secret& secret : all) {
    for (std::size_t at = text.find(secret.value); at != std::string::npos;
         at = text.find(secret.value, at + secret.shown.size())) {
      text.replace(at, secret.value.size(), secret.shown);
    }
  }
}

// The beginning of a value at the very end of the text.
void replace_begun(std::string& text, std::span<const Secret> all) {
  for (const Secret& secret : all) {
    for (std::size_t size = std::min(secret.value.size() - 1, text.size()); size >= 4; --size) {
      if (!text.ends_with(std::string_view(secret.value).substr(0, size))) continue;
      text.replace(text.size() - size, size, secret.shown);
      return;
    }
  }
}

void redact_verdict(Verdict& verdict, std::span<const Secret> all) {
  for (std::string* text : {&verdict.detail, &verdict.hint, &verdict.reproduce}) {
    replace_all(*text, all);
  }
  for (Evidence& evidence : verdict.evidence) {
    replace_all(evidence.text, all);
    if (evidence.is_cut) replace_begun(evidence.text, all);
  }
}

}  // namespace

void redact(std::string& text, std::span<const Secret> secrets) {
  replace_all(text, forms(secrets));
}

void redact(Result& result, std::span<const Secret> secrets) {
  const std::vector<Secret> all = forms(secrets);
  if (all.empty()) return;
  for (std::string* text : {&result.target.name, &result.target.version, &result.target.url}) {
    replace_all(*text, all);
  }
  for (std::string& word : result.target.command) replace_all(word, all);
  for (Run& run : result.runs) {
    replace_all(run.reason, all);
    for (Verdict& verdict : run.verdicts) redact_verdict(verdict, all);
    for (Candidate& candidate : run.candidates) redact_verdict(candidate.verdict, all);
  }
}

}  // namespace assay::reports
