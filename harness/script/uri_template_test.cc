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

TEST(UriTemplate, KnowsItsOneVariableInAUri) {
  using Found = std::pair<std::string, std::string>;
  EXPECT_EQ(matched_variable("test://items/{id}/data", "test://items/7/data"), Found("id", "7"));
  EXPECT_EQ(matched_variable("file:///{+path}", "file:///a/b"), Found("path", "a/b"));
  EXPECT_FALSE(matched_variable("test://items/{id}/data", "test://items//data"));
  EXPECT_FALSE(matched_variable("test://items/{id}/data", "test://other/7/data"));
  EXPECT_FALSE(matched_variable("test://{a}/{b}", "test://1/2"));
  EXPECT_FALSE(matched_variable("test://plain", "test://plain"));
}

TEST(UriTemplate, GivesWhatStandsBeforeTheFirstVariable) {
  EXPECT_EQ(template_prefix("file:///srv/{+path}"), "file:///srv/");
  EXPECT_EQ(template_prefix("file:///srv/a"), "file:///srv/a");
}

}  // namespace
}  // namespace assay::harness
