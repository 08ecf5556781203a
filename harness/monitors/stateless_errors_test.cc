// The monitor of error codes on hand-made transcripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kErrors = "error_code_monitor";

Rules broken_by_code(std::int64_t code, const Json& data = nullptr,
                     const Json& capabilities = Json::object()) {
  Traffic traffic(Revision::v2026_07_28);
  traffic.declares(capabilities).refused("tools/call", {{"name", "a"}}, code, data);
  return traffic.broken(kErrors);
}

TEST(ErrorCodeMonitor, LetsKnownAndOwnCodesPass) {
  for (const std::int64_t code : {-32700, -32600, -32601, -32602, -32603, -32001, 7, -1, -40000}) {
    EXPECT_THAT(broken_by_code(code), IsEmpty()) << code;
  }
  Traffic traffic(Revision::v2026_07_28);
  traffic.refused("tools/call", {{"name", "a"}}, 7, "why");
  EXPECT_THAT(traffic.held(kErrors),
              IsSupersetOf(Rules{"jsonrpc.new-codes-outside-reserved", "jsonrpc.error-data",
                                 "jsonrpc.old-codes-not-emitted"}));
}

TEST(ErrorCodeMonitor, TellsCodesThatMayNotBeSent) {
  EXPECT_EQ(broken_by_code(-32002), Rules{"jsonrpc.old-codes-not-emitted"});
  EXPECT_EQ(broken_by_code(-32042), Rules{"jsonrpc.old-codes-not-emitted"});
  EXPECT_EQ(broken_by_code(-32030), Rules{"jsonrpc.reserved-codes-not-emitted"});
  EXPECT_EQ(broken_by_code(-32099), Rules{"jsonrpc.reserved-codes-not-emitted"});
  EXPECT_EQ(broken_by_code(-32500), Rules{"jsonrpc.new-codes-outside-reserved"});
  EXPECT_EQ(broken_by_code(-32020), Rules{"jsonrpc.reserved-codes-meaning"});
}

TEST(ErrorCodeMonitor, HoldsMissingCapabilitiesAgainstTheRequest) {
  const Json lists = {{"requiredCapabilities", {{"elicitation", {{"url", Json::object()}}}}}};
  EXPECT_THAT(broken_by_code(-32021, lists), IsEmpty());
  EXPECT_THAT(broken_by_code(-32021, lists, {{"elicitation", Json::object()}}), IsEmpty());
  EXPECT_EQ(broken_by_code(-32021, lists, {{"elicitation", {{"url", Json::object()}}}}),
            Rules{"jsonrpc.reserved-codes-meaning"});
  // Without a mode it is elicitation by forms.
  const Json forms = {{"requiredCapabilities", {{"elicitation", Json::object()}}}};
  EXPECT_THAT(broken_by_code(-32021, forms, {{"elicitation", {{"url", Json::object()}}}}),
              IsEmpty());
  EXPECT_EQ(broken_by_code(-32021, {{"requiredCapabilities", Json::array({"sampling"})}}),
            Rules{"meta.missing-capability-error"});
  EXPECT_EQ(broken_by_code(-32021), Rules{"meta.missing-capability-error"});
}

TEST(ErrorCodeMonitor, HoldsSupportedVersionsAgainstTheRequest) {
  const Json older = {{"supported", Json::array({"2025-11-25"})}, {"requested", "2026-07-28"}};
  EXPECT_THAT(broken_by_code(-32022, older), IsEmpty());
  const Json same = {{"supported", Json::array({"2026-07-28"})}, {"requested", "2026-07-28"}};
  EXPECT_EQ(broken_by_code(-32022, same), Rules{"jsonrpc.reserved-codes-meaning"});
  EXPECT_EQ(broken_by_code(-32022), Rules{"versioning.unsupported-version-error"});
}

class ErrorOverHttp : public ::testing::Test {
 protected:
  Rules broken_by(std::string_view method, std::int64_t code, int status,
                  const Json& data = nullptr) {
    Traffic traffic(Revision::v2026_07_28, TransportKind::kHttp);
    const wire::Id id = wire::Id::of(1);
    HttpExchange(traffic, 1)
        .request("POST", wire::encode(wire::make_request(id, method, Traffic::stateless())),
                 {{"MCP-Protocol-Version", "2026-07-28"}})
        .head(status, HttpExchange::kJson)
        .body(wire::encode(wire::make_error(id, code, "No", data)))
        .closed();
    held_ = traffic.held(kErrors);
    return traffic.broken(kErrors);
  }
  Rules held_;
};

TEST_F(ErrorOverHttp, ComesWithTheStatusOfItsCode) {
  EXPECT_THAT(broken_by("tools/list", -32020, 400), IsEmpty());
  EXPECT_THAT(held_, Contains("http.header-failure-400"));
  EXPECT_EQ(broken_by("tools/list", -32020, 200), Rules{"http.header-failure-400"});
  const Json missing = {{"requiredCapabilities", {{"roots", Json::object()}}}};
  EXPECT_THAT(broken_by("tools/call", -32021, 400, missing), IsEmpty());
  EXPECT_EQ(broken_by("tools/call", -32021, 200, missing), Rules{"meta.missing-capability-400"});
  const Json versions = {{"supported", Json::array({"2027-01-01"})}, {"requested", "2026-07-28"}};
  EXPECT_EQ(broken_by("tools/list", -32022, 422, versions), Rules{"http.version-unsupported-400"});
}

TEST_F(ErrorOverHttp, ComesWith404ForAnUnknownMethod) {
  EXPECT_THAT(broken_by("no/such", -32601, 404), IsEmpty());
  EXPECT_THAT(held_, Contains("http.unknown-method-404"));
  EXPECT_EQ(broken_by("no/such", -32601, 200), Rules{"http.unknown-method-404"});
  // It may be about a tool, or speak to a client of another era.
  EXPECT_THAT(broken_by("tools/call", -32601, 200), IsEmpty());
  EXPECT_THAT(broken_by("initialize", -32601, 400), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
