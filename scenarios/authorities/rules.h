// The rules that the scenarios for authorization servers judge.
#pragma once

#include "harness/catalogue/requirement_id.h"

namespace assay::scenarios {

inline constexpr catalogue::RequirementId kAuthorityMetadata(
    "authorization.authorization-server-metadata-served");
inline constexpr catalogue::RequirementId kAuthorityDiscovery(
    "authorization.authorization-server-discoverable");
inline constexpr catalogue::RequirementId kAuthorityOauth21(
    "authorization.oauth21-authorization-server");
inline constexpr catalogue::RequirementId kAuthorityPkceInOpenId(
    "authorization.pkce-advertised-openid");
inline constexpr catalogue::RequirementId kAuthorityHttps("authorization.endpoints-over-https");
inline constexpr catalogue::RequirementId kAuthorityRegistration(
    "authorization.dynamic-registration-authorization-server");
inline constexpr catalogue::RequirementId kAuthorityExactRedirects(
    "authorization.redirects-matched-exactly");
inline constexpr catalogue::RequirementId kAuthorityUntrusted(
    "authorization.untrusted-redirects-prevented");
inline constexpr catalogue::RequirementId kAuthorityTrustedOnly(
    "authorization.trusted-redirects-only");
inline constexpr catalogue::RequirementId kAuthorityIssuer("authorization.issuer-in-response");
inline constexpr catalogue::RequirementId kAuthorityIssuerSaid(
    "authorization.issuer-parameter-advertised");
inline constexpr catalogue::RequirementId kAuthorityRotation(
    "authorization.refresh-tokens-rotated");
inline constexpr catalogue::RequirementId kAuthorityDocuments(
    "authorization.client-id-documents-authorization-server");
inline constexpr catalogue::RequirementId kAuthorityFetch(
    "authorization.client-id-document-fetched");
inline constexpr catalogue::RequirementId kAuthorityDocumentUrl(
    "authorization.client-id-document-url-checked");
inline constexpr catalogue::RequirementId kAuthorityDocumentRedirects(
    "authorization.client-id-document-redirects-checked");
inline constexpr catalogue::RequirementId kAuthorityDocumentForm(
    "authorization.client-id-document-structure-checked");

}  // namespace assay::scenarios
