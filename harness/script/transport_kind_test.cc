#include "harness/script/transport_kind.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

TEST(TransportKind, IsWrittenAsInReports) {
  EXPECT_EQ(name(TransportKind::kStdio), "stdio");
  EXPECT_EQ(name(TransportKind::kHttp), "http");
  EXPECT_EQ(name(TransportKind::kHttpSse), "http+sse");
}

TEST(TransportKind, HasAProcessOrAUrl) {
  for (const TransportKind kind :
       {TransportKind::kStdio, TransportKind::kHttp, TransportKind::kHttpSse}) {
    EXPECT_NE(kind.has_process(), kind.has_url()) << name(kind);
    EXPECT_EQ(kind.has_order(), kind == TransportKind::kStdio) << name(kind);
    EXPECT_EQ(kind.answers_in_exchanges(), kind == TransportKind::kHttp) << name(kind);
  }
}

}  // namespace
}  // namespace assay::harness
