// Tests that run once per revision: INSTANTIATE_TEST_SUITE_P(..., every_revision(), revision_name).
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "reference/model/revision.h"

namespace assay::model {

inline auto every_revision() {
  return testing::ValuesIn(Revision::all());
}

// "20250618": the characters that a test's name may have.
inline std::string revision_name(const testing::TestParamInfo<Revision>& info) {
  std::string name(info.param.text());
  std::erase(name, '-');
  return name;
}

}  // namespace assay::model
