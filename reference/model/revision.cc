#include "reference/model/revision.h"

#include <algorithm>
#include <iterator>

namespace assay::model {
namespace {

// Oldest first; each is based on the one before it.
constexpr std::array kAll = {Revision::v2024_11_05, Revision::v2025_03_26, Revision::v2025_06_18,
                             Revision::v2025_11_25, Revision::v2026_07_28};

constexpr std::size_t count_handshake() {
  return static_cast<std::size_t>(
      std::count_if(kAll.begin(), kAll.end(), [](Revision r) { return r.has_handshake(); }));
}

constexpr std::string_view text_of(Revision revision) {
  using Value = Revision::Value;
  switch (revision.value()) {
    case Value::k2024_11_05:
      return "2024-11-05";
    case Value::k2025_03_26:
      return "2025-03-26";
    case Value::k2025_06_18:
      return "2025-06-18";
    case Value::k2025_11_25:
      return "2025-11-25";
    case Value::k2026_07_28:
      return "2026-07-28";
  }
  return "";
}

// Written down once: over HTTP each request has one to be read.
constexpr auto kWritten = [] {
  std::array<std::string_view, kAll.size()> texts;
  std::transform(kAll.begin(), kAll.end(), texts.begin(), text_of);
  return texts;
}();

}  // namespace

std::span<const Revision> Revision::all() {
  return kAll;
}

std::span<const Revision> Revision::handshake() {
  return std::span<const Revision>(kAll).first(count_handshake());
}

std::span<const Revision> Revision::stateless() {
  return std::span<const Revision>(kAll).subspan(count_handshake());
}

std::optional<Revision> Revision::parse(std::string_view text) {
  const auto found = std::find(kWritten.begin(), kWritten.end(), text);
  if (found == kWritten.end()) return std::nullopt;
  return kAll[static_cast<std::size_t>(found - kWritten.begin())];
}

bool Revision::satisfies(Question question) const {
  return question == nullptr || (this->*question)();
}

std::string_view Revision::text() const {
  return text_of(*this);
}

std::optional<Revision> Revision::based_on() const {
  const auto found = std::find(kAll.begin(), kAll.end(), *this);
  if (found == kAll.begin()) return std::nullopt;
  return *std::prev(found);
}

}  // namespace assay::model
