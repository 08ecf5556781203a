#include "harness/script/uri_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string with_ones(std::string_view uri_template) {
  return expand_template(uri_template, [](std::string_view) { return "1"; });
}

TEST(UriTemplate, NamesItsVariablesOnce) {
  EXPECT_THAT(template_variables("test://{id}/{+path}{?q,id*,n:3}"),
              ElementsAre("id", "path", "q", "n"));
  EXPECT_THAT(template_variables("test://plain"), IsEmpty());
  EXPECT_THAT(template_variables("test://{open"), IsEmpty());
}

TEST(UriTemplate, IsExpandedByItsOperators) {
  EXPECT_EQ(with_ones("test://items/{id}/data"), "test://items/1/data");
  EXPECT_EQ(with_ones("test://a{/b,c}{?d,e}{&f}{#g}{.h}{;i}"), "test://a/1/1?d=1&e=1&f=1#1.1;i=1");
  EXPECT_EQ(with_ones("test://{open"), "test://{open");
}

TEST(UriTemplate, GivesWhatStandsBeforeTheFirstVariable) {
  EXPECT_EQ(template_prefix("file:///srv/{+path}"), "file:///srv/");
  EXPECT_EQ(template_prefix("file:///srv/a"), "file:///srv/a");
}

}  // namespace
}  // namespace assay::harness
