// Draws like a deck of cards: in an order of chance, each once before any comes again.
//
// What is picked anew each time leaves a third of as many cards undrawn as there are; a rare way of
// going wrong may then be met very late.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "reference/model/random.h"

namespace assay::fuzz {

class Deck {
 public:
  // One of [0, size). A deck is always asked for one of the same size, which is at least 1.
  std::size_t draw(model::Random& random, std::size_t size) {
    if (left_.empty()) {
      left_.resize(size);
      std::iota(left_.begin(), left_.end(), std::size_t{0});
    }
    std::swap(left_[random.below(left_.size())], left_.back());
    const std::size_t drawn = left_.back();
    left_.pop_back();
    return drawn;
  }

 private:
  std::vector<std::size_t> left_;
};

}  // namespace assay::fuzz
