#include "harness/interop/offer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "harness/runner/profile_choice.h"
#include "harness/script/abandoned.h"
#include "harness/script/connection.h"
#include "harness/script/explorer.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/survey.h"
#include "harness/script/usable.h"

namespace assay::harness {
namespace {

// Of a server with more tools, the others are not looked at.
constexpr std::size_t kMostPlainTools = 1000;

// What is known of one server once it was asked.
struct Look {
  std::unique_ptr<Connection> connection;
  Survey survey;
  Profile described;  // what profiles say of it
  ToolPolicy policy;  // and what was found out by trying
};

std::string name_and_version(const Json& server) {
  const Json& told = server_info(server);
  const std::string name(text_member(told, "name"));
  const std::string version(text_member(told, "version"));
  return version.empty() ? name : fmt::format("{} {}", name, version);
}

void choose_tools(const Look& look, Offer& offer) {
  const auto tool = [&look](Ability ability) {
    return find_tool(look.survey, look.policy, ability);
  };
  const std::vector<ToolUse> plain = plain_tools(look.survey, look.policy, kMostPlainTools);
  // What a profile names succeeds; what was only tried may fail with these arguments.
  const auto described = std::find_if(plain.begin(), plain.end(), [&look](const ToolUse& use) {
    return look.described.tool(use.name) != nullptr;
  });
  if (described != plain.end()) {
    offer.call = *described;
  } else if (!plain.empty()) {
    offer.call = plain.front();
  }
  offer.progress = tool(Ability::kReportsProgress);
  offer.slow = tool(Ability::kTakesTime);
  offer.sample = tool(Ability::kSamples);
  offer.elicit = tool(Ability::kElicits);
  offer.update = tool(Ability::kUpdatesResource);
  offer.breaks_stream = tool(Ability::kClosesStream);
}

void choose_resource(const Look& look, Offer& offer) {
  const Profile& known = look.policy.known;
  for (const Json& resource : look.survey.resources().items) {
    const std::string uri(text_member(resource, "uri"));
    if (!is_readable(resource) || known.skips(uri)) continue;
    offer.resource = uri;
    return;
  }
  if (!known.resources.empty()) offer.resource = known.resources.front();
}

void choose_prompt(const Look& look, Offer& offer) {
  const Profile& known = look.policy.known;
  for (const Json& prompt : look.survey.prompts().items) {
    if (!is_named(prompt)) continue;
    offer.prompt = text_member(prompt, "name");
    offer.prompt_arguments = prompt_arguments(known, prompt);
    return;
  }
}

// Those of a profile, or else the first argument of a prompt.
void choose_completion(const Look& look, Offer& offer) {
  if (!look.connection->has_capability("completions")) return;
  const Profile& known = look.policy.known;
  if (!known.completions.empty()) {
    offer.completion = known.completions.front();
    return;
  }
  for (const Json& prompt : look.survey.prompts().items) {
    for (const Json& argument : array_member(prompt, "arguments")) {
      if (!is_named(prompt) || !is_named(argument)) continue;
      offer.completion =
          KnownCompletion{{{"type", "ref/prompt"}, {"name", text_member(prompt, "name")}},
                          std::string(text_member(argument, "name")),
                          ""};
      return;
    }
  }
}

Offer chosen(const Look& look) {
  Offer offer;
  offer.introduced_as = name_and_version(look.connection->server());
  offer.newest = look.connection->revision().text();
  for (const Listing& listing : look.survey.listings()) {
    if (listing.items.empty()) continue;
    offer.lists.push_back(listing.method);
    offer.has_pages = offer.has_pages || listing.pages > 1;
  }
  choose_tools(look, offer);
  choose_resource(look, offer);
  choose_prompt(look, offer);
  choose_completion(look, offer);
  return offer;
}

// A conversation in that revision, once it has begun; otherwise why it has not.
std::variant<std::unique_ptr<Connection>, std::string> begin(const TargetAccess& access,
                                                             model::Revision revision,
                                                             const Patience& patience,
                                                             const std::stop_token& stop) {
  auto connection = connect(access, revision, patience, stop);
  if (const auto failure = connection->open()) return failure->detail;
  const Reply answer = connection->begin();
  if (connection->has_begun()) return connection;
  return fmt::format("it did not begin in {}: {}", revision.text(), answer.describe());
}

Offer take_offer(const TargetAccess& access, model::Revision revision, const InteropServer& server,
                 const Patience& patience, const std::stop_token& stop) {
  Offer offer;
  try {
    auto begun = begin(access, revision, patience, stop);
    if (auto* why = std::get_if<std::string>(&begun)) {
      offer.trouble = std::move(*why);
      return offer;
    }
    Look look{std::get<std::unique_ptr<Connection>>(std::move(begun)), {}, {}, server.tools};
    look.survey = Survey::take(*look.connection);
    const ProfileChoice choice =
        choose_profiles(server.profiles, look.survey, look.connection->server());
    look.described = choice.known;
    look.policy.known = choice.known;
    if (is_worth_exploring(look.survey, look.policy, look.connection->server())) {
      look.policy.known.add(explore(*look.connection, look.survey, look.policy));
    }
    offer = chosen(look);
    look.connection->close();
  } catch (const Abandoned& reason) {
    offer.trouble = reason.why();
  }
  return offer;
}

}  // namespace

const Offer& EraOffers::in(std::string_view revision) const {
  const auto spoken = model::Revision::parse(revision);
  if (spoken && spoken->is_stateless()) return stateless;
  return !spoken && !handshake.trouble.empty() && stateless.trouble.empty() ? stateless : handshake;
}

EraOffers take_offers(const TargetAccess& access, const InteropServer& server,
                      const Patience& patience, const std::stop_token& stop) {
  EraOffers out;
  out.handshake = take_offer(access, model::Revision::newest_handshake(), server, patience, stop);
  out.stateless = take_offer(access, model::Revision::newest_stateless(), server, patience, stop);
  // Whatever is spoken, this is what the server could speak.
  if (!out.stateless.newest.empty()) out.handshake.newest = out.stateless.newest;
  return out;
}

}  // namespace assay::harness
