#include "scenarios/token_door.h"

#include <gtest/gtest.h>

namespace assay::scenarios {
namespace {

// RFC 9728, section 3.1: the slash after the host is removed, whether a query follows or nothing.
TEST(TokenDoor, PutsThePlaceOfMetadataBetweenHostAndPath) {
  const std::string place = kResourceMetadataPath;
  EXPECT_EQ(metadata_target_of("/mcp"), place + "/mcp");
  EXPECT_EQ(metadata_target_of("/mcp?tenant=1"), place + "/mcp?tenant=1");
  EXPECT_EQ(metadata_target_of("/mcp/"), place + "/mcp/");
  EXPECT_EQ(metadata_target_of("/"), place);
  EXPECT_EQ(metadata_target_of("/?tenant=1"), place + "?tenant=1");
}

}  // namespace
}  // namespace assay::scenarios
