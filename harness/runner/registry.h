// What static objects name while the program starts, in the order of the names.
#pragma once

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace assay::harness {

// Named has a member `name`. Sorted once, at the first look, and not with each that is added: a
// program that starts has hundreds to add, and often looks at none.
template <typename Named>
class Registry {
 public:
  // Before anybody looks.
  void add(Named each) { all_.push_back(std::move(each)); }

  // Of the same name, the one that was added first stands first. Any thread may call this.
  std::span<const Named> all() {
    std::call_once(sorting_, [this] {
      std::stable_sort(all_.begin(), all_.end(), [](const Named& left, const Named& right) {
        return left.name < right.name;
      });
    });
    return all_;
  }

 private:
  std::once_flag sorting_;
  std::vector<Named> all_;
};

}  // namespace assay::harness
