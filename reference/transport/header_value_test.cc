// The examples of the page "Streamable HTTP", "Value Encoding", and what lies beside them.
#include "reference/transport/header_value.h"

#include <gtest/gtest.h>

namespace assay::transport {
namespace {

TEST(HeaderValue, EncodesWhatNoHeaderCanHold) {
  EXPECT_EQ(encode_header_value("us-west1"), "us-west1");
  EXPECT_EQ(encode_header_value("Hello, \u4e16\u754c"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(encode_header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(encode_header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(encode_header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
  EXPECT_EQ(encode_header_value_in_base64("us"), "=?base64?dXM=?=");
}

TEST(HeaderValue, DecodesWhatIsEncoded) {
  EXPECT_EQ(decode_header_value("us-west1"), "us-west1");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8sIOS4lueVjA==?="), "Hello, \u4e16\u754c");
  EXPECT_EQ(decode_header_value("=?base64?IHBhZGRlZCA=?="), " padded ");
  EXPECT_EQ(decode_header_value("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="), "=?base64?literal?=");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?base64?"), "=?base64?");
}

TEST(HeaderValue, RefusesWhatIsNoBase64) {
  for (const char* text : {"=?base64?A?=", "=?base64?AB C?=", "=?base64? dXM=?=", "=?base64?d=XM?=",
                           "=?base64?***?=", "\x7F", "w\xC3\xA9st"}) {
    EXPECT_EQ(decode_header_value(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace assay::transport
