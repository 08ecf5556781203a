#include "fuzz/live/wire/delays.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::fuzz {
namespace {

constexpr std::string_view kNames[] = {"its answers", "its tools",
                                       "streams that it leaves open after their answer",
                                       "connections that it neither answers nor closes"};
constexpr double kWorthTelling = 0.25;

}  // namespace

void Delays::add(const Delays& other) {
  for (std::size_t i = 0; i < times_.size(); ++i) times_[i] += other.times_[i];
}

std::string Delays::text(Duration all) const {
  std::vector<std::pair<double, std::string_view>> shares;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const double share = all.count() > 0 ? std::chrono::duration<double>(times_[i]).count() /
                                               std::chrono::duration<double>(all).count()
                                         : 0;
    if (share >= kWorthTelling) shares.emplace_back(share, kNames[i]);
  }
  std::sort(shares.rbegin(), shares.rend());
  std::string text;
  for (const auto& [share, name] : shares) {
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", name, 100 * share);
  }
  return text;
}

}  // namespace assay::fuzz
