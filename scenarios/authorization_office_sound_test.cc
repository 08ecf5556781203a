// Servers that are their own authorization server, as 2025-03-26 has it, and do what the text
// leaves open, are not accused.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/authorization_sound_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

constexpr const char* kServed = "authorization.server-metadata-served";
constexpr const char* kRegisters = "authorization.dynamic-registration-server";
constexpr std::string_view kMetadataPlace = "/.well-known/oauth-authorization-server";

// Of who is its own authorization server, from outside.
Outcomes outcomes_of_office(bool has_metadata, ReplyChange reply,
                            const std::vector<transport::UserHeader>& headers = {}) {
  const server::Fault behaviour = behaviour_of(reply);
  const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{.has_metadata = has_metadata},
                                    {&behaviour});
  return outcomes(reference.http(headers), {Revision::v2025_03_26});
}

// Who wants a key of a manner of its own for every path has no authorization server.
TEST(Authorization, WhoWantsAKeyEverywhereIsNoAuthorizationServer) {
  const std::vector<ReplyChange> guards = {
      [](const HttpHead&, std::string_view, HttpReply& reply) {
        if (reply.status >= 400) reply = json_with(401, R"({"error":"Unauthorized"})");
      },
      [](const HttpHead&, std::string_view, HttpReply& reply) {
        if (reply.status >= 400) reply = json_with(401, R"({"error":"invalid_request"})");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_busy = is_for(request, "/token") || is_for(request, "/authorize");
        if (is_busy) reply = json_with(429, R"({"error":"invalid_request"})");
      }};
  for (const ReplyChange guard : guards) {
    const server::Fault behaviour = behaviour_of(guard);
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                      "127.0.0.1", true);
    const auto found = outcomes(reference.http(), {Revision::v2025_03_26});
    std::set<std::string> violated = rules_with(found, Outcome::kViolated);
    violated.erase("authorization.failure-per-oauth");  // its 401 names no scheme
    EXPECT_EQ(violated, std::set<std::string>{});
    EXPECT_FALSE(rules_with(found, Outcome::kSatisfied).contains(kRegisters));
  }
}

// A gateway in front of an authorization server is shown the user's header fields with each
// request.
TEST(Authorization, AGatewayIsShownTheUsersHeaders) {
  const ReplyChange gateway = [](const HttpHead& request, std::string_view, HttpReply& reply) {
    if (transport::find_header(request.headers, "X-Gateway") == "open") return;
    reply = json_with(401, R"({"error":"invalid_client"})");
  };
  const auto found = outcomes_of_office(true, gateway, {{"X-Gateway", "open", true}});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  const auto held = rules_with(found, Outcome::kSatisfied);
  EXPECT_TRUE(held.contains(kRegisters));
  EXPECT_TRUE(held.contains("authorization.token-rotation"));
}

// Nor does it take strangers who lets in its users by a cookie; behind who hides from others,
// somebody may.
TEST(Authorization, ARegistrationForUsersIsNoneForStrangers) {
  const std::vector<ReplyChange> guards = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_user = transport::find_header(request.headers, "Cookie").has_value();
        if (is_for(request, "/register") && !is_user) reply = json_with(401, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_user = transport::find_header(request.headers, "Cookie").has_value();
        if (!is_user) reply = json_with(404, "{}");
      }};
  for (const ReplyChange guard : guards) {
    for (const bool has_metadata : {true, false}) {
      const auto found =
          outcomes_of_office(has_metadata, guard, {{"Cookie", "session=alice", true}});
      EXPECT_FALSE(rules_with(found, Outcome::kViolated).contains(kRegisters));
      EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
    }
  }
}

// Nor is a path that is shown to users nowhere.
TEST(Authorization, ATokenEndpointForUsersIsAtItsPath) {
  const auto found = outcomes_of_office(
      false,
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_user = transport::find_header(request.headers, "Cookie").has_value();
        if (is_for(request, "/token") && !is_user) reply = json_with(404, "{}");
      },
      {{"Cookie", "session=alice", true}});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
}

// Who has no time for the request for its metadata, or points elsewhere, may have some.
TEST(Authorization, MetadataThatWereNotRefusedMayBeThere) {
  const std::vector<ReplyChange> busy = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, kMetadataPlace)) reply = json_with(503, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, kMetadataPlace)) reply = json_with(429, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, kMetadataPlace))
          reply = {302, {{"Location", "/metadata"}}, "", nullptr};
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_below = request.target == std::string(kMetadataPlace) + "/mcp";
        if (is_below) reply = json_with(503, "{}");
      }};
  for (const ReplyChange reply : busy) {
    const auto found = outcomes_of_office(false, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Nor is it blamed that they were found below the path of the endpoint.
TEST(Authorization, MetadataInTwoPlacesMayBeSeenInOne) {
  server::Fault behaviour =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, kMetadataPlace)) reply = json_with(503, "{}");
      });
  behaviour.mishears = [](const Json&, HttpHead& request) {
    if (request.target == std::string(kMetadataPlace) + "/mcp") request.target = kMetadataPlace;
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{}, {&behaviour});
  const auto found = outcomes(reference.http(), {Revision::v2025_03_26});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
}

// A query behind the URL of the endpoint is no part of the places where metadata may be.
TEST(Authorization, MetadataAreLookedForBesideTheQueryOfTheEndpoint) {
  const std::vector<ReplyChange> busy = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_below = request.target == std::string(kMetadataPlace) + "/mcp";
        if (is_below) reply = json_with(503, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_below = request.target == "/mcp" + std::string(kMetadataPlace);
        if (is_below) reply = json_with(503, "{}");
      }};
  for (const ReplyChange reply : busy) {
    const server::Fault behaviour = behaviour_of(reply);
    const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{.has_metadata = false},
                                      {&behaviour});
    const auto found = outcomes(reference.http({}, "?tenant=1"), {Revision::v2025_03_26});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Clients of 2025-03-26 say their revision when they ask for metadata, so that a server can answer
// by it.
TEST(Authorization, MetadataMayBeGivenByRevision) {
  const auto found =
      outcomes_of_office(true, [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const auto revision = transport::find_header(request.headers, "MCP-Protocol-Version");
        if (is_for(request, kMetadataPlace) && revision != "2025-03-26") {
          reply = json_with(404, "{}");
        }
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(rules_with(found, Outcome::kSatisfied).contains(kServed));
}

// A registration may be for those who have a token (RFC 7591, section 3).
TEST(Authorization, ARegistrationMayBeProtected) {
  const std::vector<ReplyChange> protections = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, "/register"))
          reply = {401, {{"WWW-Authenticate", "Bearer"}}, "", nullptr};
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, "/register")) reply = json_with(403, "{}");
      }};
  for (const ReplyChange reply : protections) {
    const auto found = outcomes_of_office(false, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{kServed});
    EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
  }
}

// Metadata need not name the endpoint (RFC 8414), and what is at the default path may be protected,
// or say nothing now.
TEST(Authorization, ARegistrationMayBeProtectedOrSilentWhereMetadataNameNone) {
  static const auto name_none = [](const HttpHead& request, HttpReply& reply) {
    if (!is_for(request, kMetadataPlace) || reply.status != 200) return;
    Json document = Json::parse(reply.body);
    document.erase("registration_endpoint");
    reply.body = document.dump();
  };
  const std::vector<ReplyChange> registrations = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        name_none(request, reply);
        if (is_for(request, "/register"))
          reply = {401, {{"WWW-Authenticate", "Bearer"}}, "", nullptr};
      },
      // More than a client reads.
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        name_none(request, reply);
        if (is_for(request, "/register")) reply = json_with(200, std::string(2u << 20, ' '));
      }};
  for (const ReplyChange reply : registrations) {
    const auto found = outcomes_of_office(true, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
  }
}

// What the metadata name has to be an endpoint, or nothing is known.
TEST(Authorization, ARegistrationThatIsNamedByNoUrlIsNotBelieved) {
  const auto found =
      outcomes_of_office(true, [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (!is_for(request, kMetadataPlace) || reply.status != 200) return;
        Json document = Json::parse(reply.body);
        document["registration_endpoint"] = "/register";
        reply.body = document.dump();
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
}

// A refresh token that is taken again beside another one may be so for a moment, or for ever.
TEST(Authorization, AnotherRefreshTokenDoesNotProveThatTheOldOneIsNoLongerGood) {
  const std::vector<ReplyChange> others = {
      [](const HttpHead& request, std::string_view body, HttpReply& reply) {
        const bool is_renewal = body.find("grant_type=refresh_token") != body.npos;
        if (!is_for(request, "/token") || !is_renewal || reply.status == 200) return;
        reply = json_with(200, R"({"access_token":"another","token_type":"Bearer",)"
                               R"("refresh_token":"yet-another-refresh-token"})");
      },
      [](const HttpHead& request, std::string_view body, HttpReply& reply) {
        const bool is_renewal = body.find("grant_type=refresh_token") != body.npos;
        const bool is_refused = is_for(request, "/token") && is_renewal && reply.status != 200;
        if (is_refused) reply = json_with(503, "{}");
      }};
  for (const ReplyChange reply : others) {
    const auto found = outcomes_of_office(true, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    EXPECT_EQ(found.at("authorization.token-rotation"), std::set<Outcome>{Outcome::kInconclusive});
  }
}

}  // namespace
}  // namespace assay::scenarios
