#include "reference/authorization/server.h"

#include <gtest/gtest.h>

#include "reference/authorization/server_testing.h"

namespace assay::authorization {
namespace {

using transport::HttpReply;
using wire::Form;

TEST(AuthorizationServer, GivesATokenForACodeAndItsVerifier) {
  Visitor visitor({});
  const std::string id = visitor.register_plainly();
  const HttpReply redirect = visitor.authorize(id);
  EXPECT_EQ(wire::form_value(response_of(redirect), "state"), "state-1");
  EXPECT_EQ(wire::form_value(response_of(redirect), "iss"), std::nullopt);
  const HttpReply reply = visitor.ask_token(exchange_form(id, code_of(redirect)));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json token = Json::parse(reply.body);
  EXPECT_EQ(token.at("token_type"), "Bearer");
  EXPECT_EQ(token.at("scope"), "a b");
  EXPECT_FALSE(token.contains("refresh_token"));
  const auto grant = visitor.server.grant_of(token.at("access_token").get<std::string>());
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->client_id, id);
  EXPECT_EQ(grant->resource, "http://localhost:2/mcp");
  EXPECT_EQ(grant->scopes, (std::vector<std::string>{"a", "b"}));
}

TEST(AuthorizationServer, TakesACodeOnce) {
  Visitor visitor({});
  const std::string id = visitor.register_plainly();
  const Form form = exchange_form(id, code_of(visitor.authorize(id)));
  EXPECT_EQ(visitor.ask_token(form).status, 200);
  const HttpReply again = visitor.ask_token(form);
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(error_of(again), "invalid_grant");
}

TEST(AuthorizationServer, RefusesAnotherVerifier) {
  Visitor visitor({});
  const std::string id = visitor.register_plainly();
  Form form = exchange_form(id, code_of(visitor.authorize(id)));
  form[4].second = std::string(43, 'x');
  EXPECT_EQ(error_of(visitor.ask_token(form)), "invalid_grant");
}

TEST(AuthorizationServer, RedirectsAnErrorWhereNoChallengeIsShown) {
  Visitor visitor({});
  const std::string id = visitor.register_plainly();
  for (const Form& change : {Form{{"code_challenge", ""}}, Form{{"code_challenge_method", ""}},
                             Form{{"code_challenge_method", "plain"}}}) {
    const Form response = response_of(visitor.authorize(id, change));
    EXPECT_EQ(wire::form_value(response, "error"), "invalid_request");
    EXPECT_EQ(wire::form_value(response, "code"), std::nullopt);
  }
}

TEST(AuthorizationServer, RedirectsNobodyToAnUnknownPlace) {
  Visitor visitor({});
  const std::string id = visitor.register_plainly();
  EXPECT_EQ(visitor.authorize(id, {{"redirect_uri", "http://localhost:3000/callback/"}}).status,
            400);
  EXPECT_EQ(visitor.authorize("nobody").status, 400);
  // RFC 8252, section 7.3: the port of a native client is free.
  EXPECT_EQ(visitor.authorize(id, {{"redirect_uri", "http://127.0.0.1:3000/callback"}}).status,
            400);
  EXPECT_EQ(visitor.authorize(id, {{"redirect_uri", "http://localhost:4000/callback"}}).status,
            302);
}

TEST(AuthorizationServer, HasMetadataWhereItIsToldTo) {
  Knobs knobs;
  knobs.issuer_path = "/tenant1";
  Visitor oauth(knobs);
  EXPECT_EQ(oauth.get("/.well-known/oauth-authorization-server/tenant1").status, 200);
  EXPECT_EQ(oauth.get("/.well-known/openid-configuration/tenant1").status, 404);
  EXPECT_EQ(oauth.get("/tenant1/.well-known/openid-configuration").status, 404);
  knobs.has_oauth_metadata = false;
  knobs.has_openid_appended = true;
  knobs.takes_client_documents = true;
  knobs.says_that_it_sends_issuer = true;
  Visitor openid(knobs);
  EXPECT_EQ(openid.get("/.well-known/oauth-authorization-server/tenant1").status, 404);
  const Json document = Json::parse(openid.get("/tenant1/.well-known/openid-configuration").body);
  EXPECT_EQ(document.at("issuer"), "http://127.0.0.1:1/tenant1");
  EXPECT_EQ(document.at("token_endpoint"), "http://127.0.0.1:1/tenant1/token");
  EXPECT_EQ(document.at("code_challenge_methods_supported"), Json::array({"S256"}));
  EXPECT_EQ(document.at("client_id_metadata_document_supported"), true);
  EXPECT_EQ(document.at("authorization_response_iss_parameter_supported"), true);
}

TEST(AuthorizationServer, LeavesOutOfItsMetadataWhatItIsToldTo) {
  Knobs knobs;
  knobs.challenge_methods.clear();
  knobs.registers = false;
  knobs.said_issuer = "http://127.0.0.1:9";
  Visitor visitor(knobs);
  const Json document = Json::parse(visitor.get("/.well-known/oauth-authorization-server").body);
  EXPECT_FALSE(document.contains("code_challenge_methods_supported"));
  EXPECT_FALSE(document.contains("registration_endpoint"));
  EXPECT_EQ(document.at("issuer"), "http://127.0.0.1:9");
  EXPECT_EQ(visitor.post("/register", "application/json", "{}").status, 404);
}

TEST(AuthorizationServer, RotatesRefreshTokens) {
  Knobs knobs;
  knobs.gives_refresh_tokens = true;
  Visitor visitor(knobs);
  const std::string id = visitor.register_plainly();
  const Json first =
      Json::parse(visitor.ask_token(exchange_form(id, code_of(visitor.authorize(id)))).body);
  const Form form = {{"grant_type", "refresh_token"},
                     {"client_id", id},
                     {"refresh_token", first.at("refresh_token").get<std::string>()}};
  visitor.server.expire_all();
  EXPECT_FALSE(visitor.server.grant_of(first.at("access_token").get<std::string>()));
  const Json second = Json::parse(visitor.ask_token(form).body);
  EXPECT_NE(second.at("refresh_token"), first.at("refresh_token"));
  EXPECT_TRUE(visitor.server.grant_of(second.at("access_token").get<std::string>()));
  EXPECT_TRUE(visitor.server.has_issued(first.at("access_token").get<std::string>()));
  EXPECT_EQ(error_of(visitor.ask_token(form)), "invalid_grant");
}

TEST(AuthorizationServer, KnowsConfidentialClientsByTheirWayToShowThemselves) {
  Knobs knobs;
  knobs.clients = {{"known", "a secret: with %", kSecretInHeader, {kCallback}}};
  Visitor visitor(knobs);
  Form form = exchange_form("known", code_of(visitor.authorize("known")));
  EXPECT_EQ(visitor.ask_token(form).status, 401);
  form.emplace_back("client_secret", "a secret: with %");
  EXPECT_EQ(visitor.ask_token(form).status, 401);
  form.pop_back();
  const std::string pair = "known:" + wire::encode_percent("a secret: with %");
  EXPECT_EQ(
      visitor.ask_token(form, {{"Authorization", "Basic " + wire::encode_base64(pair)}}).status,
      200);
}

TEST(AuthorizationServer, GivesConfidentialClientsASecretWhenTheyRegister) {
  Knobs knobs;
  knobs.auth_methods = {kSecretInBody};
  Visitor visitor(knobs);
  const Json made = visitor.register_with({{"redirect_uris", {kCallback}}});
  EXPECT_EQ(made.at("token_endpoint_auth_method"), kSecretInBody);
  const std::string id = made.at("client_id");
  Form form = exchange_form(id, code_of(visitor.authorize(id)));
  form.emplace_back("client_secret", made.at("client_secret").get<std::string>());
  EXPECT_EQ(visitor.ask_token(form).status, 200);
}

TEST(AuthorizationServer, SignsTokensWhereItIsToldTo) {
  Knobs knobs;
  knobs.signing = Signing::kEs256;
  Visitor visitor(knobs);
  const std::string id = visitor.register_plainly();
  const Json token =
      Json::parse(visitor.ask_token(exchange_form(id, code_of(visitor.authorize(id)))).body);
  const std::string text = token.at("access_token");
  EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 2);
  EXPECT_TRUE(visitor.server.grant_of(text));
  const Json metadata = Json::parse(visitor.get("/.well-known/oauth-authorization-server").body);
  EXPECT_EQ(metadata.at("jwks_uri"), "http://127.0.0.1:1/jwks");
  EXPECT_EQ(Json::parse(visitor.get("/jwks").body).at("keys").size(), 1u);
  EXPECT_EQ(Visitor({}).get("/jwks").status, 404);
}

TEST(AuthorizationServer, RegistersNobodyWithoutARedirectUri) {
  Visitor visitor({});
  EXPECT_EQ(error_of(visitor.post("/register", "application/json", "{}")), "invalid_redirect_uri");
  EXPECT_EQ(error_of(visitor.post("/register", "application/json", "[1")),
            "invalid_client_metadata");
}

TEST(AuthorizationServer, TakesADocumentForAClientWhereItIsToldTo) {
  const std::string id = "https://client.example/metadata.json";
  Visitor without({});
  EXPECT_EQ(without.authorize(id).status, 400);
  Knobs knobs;
  knobs.takes_client_documents = true;
  Visitor with(knobs);
  EXPECT_EQ(with.authorize(id).status, 302);
  EXPECT_EQ(with.authorize("https://client.example").status, 400);
  EXPECT_EQ(with.authorize(id, {{"redirect_uri", "http://elsewhere.example/callback"}}).status,
            400);
}

TEST(AuthorizationServer, SendsTheIssuerAndTheStateThatItIsToldTo) {
  Knobs knobs;
  knobs.sent_issuer = "http://127.0.0.1:1";
  knobs.sent_state = "another";
  Visitor visitor(knobs);
  const std::string id = visitor.register_plainly();
  const Form response = response_of(visitor.authorize(id));
  EXPECT_EQ(wire::form_value(response, "iss"), "http://127.0.0.1:1");
  EXPECT_EQ(wire::form_value(response, "state"), "another");
}

TEST(AuthorizationServer, RefusesRedirectsWhereItIsToldTo) {
  Knobs knobs;
  knobs.refuses_redirects = true;
  Visitor visitor(knobs);
  const Json metadata = {{"redirect_uris", {kCallback}}};
  const HttpReply reply = visitor.post("/register", "application/json", metadata.dump());
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(Json::parse(reply.body).at("error"), "invalid_redirect_uri");
}

TEST(AuthorizationServer, SendsAnErrorWhereItIsToldTo) {
  Knobs knobs;
  knobs.sent_error = {"access_denied", "Not today", "http://127.0.0.1:1/why"};
  Visitor visitor(knobs);
  const Form response = response_of(visitor.authorize(visitor.register_plainly()));
  EXPECT_EQ(wire::form_value(response, "error"), "access_denied");
  EXPECT_EQ(wire::form_value(response, "error_description"), "Not today");
  EXPECT_FALSE(wire::form_value(response, "code"));
  EXPECT_EQ(visitor.server.authorizations(), 1);
}

}  // namespace
}  // namespace assay::authorization
