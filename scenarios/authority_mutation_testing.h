// What the tests share that certify the reference authorization server.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/authority/authority.h"
#include "reference/authorization/fault.h"
#include "reference/authorization/hosted.h"
#include "reference/model/extension.h"

namespace assay::scenarios {

struct NoAuthorityEvents : reports::Events {
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

inline std::vector<model::Revision> all_revisions() {
  std::vector<model::Revision> revisions;
  for (const model::Revision revision : model::Revision::all()) {
    if (revision.has_separate_authorization_servers()) revisions.push_back(revision);
  }
  return revisions;
}

inline constexpr const char* kOfWorkloads = "workload-identity-federation";
inline constexpr const char* kTrustedIdp = "https://idp.assay.invalid/acme";

using Spoil = std::function<void(authorization::Knobs&)>;
using Change = std::function<void(harness::CertifyAuthorityOptions&)>;

inline reports::Result certify_authority_with(const Spoil& spoil, const Change& change = nullptr) {
  authorization::HostedServer server;
  const auto trouble = server.start([&](const std::string& origin) {
    authorization::Knobs knobs = authorization::sound_knobs(origin);
    if (spoil) spoil(knobs);
    return knobs;
  });
  EXPECT_EQ(trouble, std::nullopt);
  harness::CertifyAuthorityOptions options;
  options.issuer = server.origin() + server.server().knobs().issuer_path;
  options.revisions = all_revisions();
  options.patience = std::chrono::seconds(20);
  if (change) change(options);
  NoAuthorityEvents events;
  return harness::certify_authority(options, events);
}

inline std::set<std::string> rules_with(const reports::Run& run, reports::Outcome outcome) {
  std::set<std::string> rules;
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == outcome) rules.insert(verdict.requirement);
  }
  return rules;
}

// As one that trusts a platform of ours for its workloads, judged by the draft about these as well.
inline reports::Result certify_with_workloads(const Spoil& spoil) {
  const auto key =
      std::make_shared<const authorization::SigningKey>(authorization::Signing::kEs256);
  return certify_authority_with(
      [&](authorization::Knobs& knobs) {
        knobs.workload_issuers = {{kTrustedIdp, authorization::VerifyingKey::read(key->jwk())}};
        if (spoil) spoil(knobs);
      },
      [&](harness::CertifyAuthorityOptions& options) {
        options.extensions = {model::find_extension(kOfWorkloads)};
        options.idp_key = key;
        options.idp_issuer = kTrustedIdp;
      });
}

// As one that trusts an identity provider of ours, judged by the other drafts as well.
inline reports::Result certify_with_drafts(const Spoil& spoil, const Change& change = nullptr) {
  const auto key =
      std::make_shared<const authorization::SigningKey>(authorization::Signing::kEs256);
  return certify_authority_with(
      [&](authorization::Knobs& knobs) {
        knobs.trusted = {{kTrustedIdp, authorization::VerifyingKey::read(key->jwk())}};
        if (spoil) spoil(knobs);
      },
      [&](harness::CertifyAuthorityOptions& options) {
        for (const model::Extension& extension : model::extensions()) {
          const bool is_other = extension.folder == "auth" && extension.name != kOfWorkloads;
          if (is_other) options.extensions.push_back(&extension);
        }
        options.idp_key = key;
        options.idp_issuer = kTrustedIdp;
        if (change) change(options);
      });
}

}  // namespace assay::scenarios
