#include "harness/interop/act_sheet.h"

#include <algorithm>
#include <fstream>

#include "harness/recording/line_reader.h"
#include "harness/script/json_member.h"
#include "reports/escape.h"
#include "reports/interop/interop_result.h"

namespace assay::harness {
namespace {

// What is read of the file: a client is a stranger's program.
constexpr std::size_t kMostWords = 1000;
constexpr std::size_t kLongestWord = 8192;
constexpr std::size_t kLongestWhy = 600;

Json call_of(const ToolUse& use) {
  return {{"tool", use.name}, {"arguments", use.arguments}};
}

// What one act is done to; null where the server offers nothing for it.
Json errand_of(const std::string& act, const Offer& offer) {
  const auto call = [](const std::optional<ToolUse>& use) { return use ? call_of(*use) : Json(); };
  if (act == "connect") return Json::object();
  if (act == "list") return offer.lists.empty() ? Json() : Json::object();
  if (act == "page") return offer.has_pages ? Json::object() : Json();
  if (act == "call") return call(offer.call);
  if (act == "progress") return call(offer.progress);
  if (act == "cancel") return call(offer.slow);
  if (act == "sample") return call(offer.sample);
  if (act == "elicit") return call(offer.elicit);
  if (act == "resume") return call(offer.breaks_stream);
  if (act == "expire") return call(offer.call);
  if (act == "read") return offer.resource.empty() ? Json() : Json{{"uri", offer.resource}};
  if (act == "prompt" && !offer.prompt.empty()) {
    return {{"prompt", offer.prompt}, {"arguments", offer.prompt_arguments}};
  }
  if (act == "subscribe" && offer.update) {
    Json errand = call_of(*offer.update);
    errand["uri"] = offer.update->resource;
    return errand;
  }
  if (act == "complete" && offer.completion) {
    return {
        {"ref", offer.completion->reference},
        {"argument", {{"name", offer.completion->argument}, {"value", offer.completion->value}}}};
  }
  return Json();
}

// How a client that does one thing at a time does that act: several starts for a list.
struct ActDeed {
  std::string act;
  Deed deed;
};

std::vector<ActDeed> deeds_of(const Offer& offer) {
  std::vector<ActDeed> out;
  const auto lists = [&offer](std::string_view method) {
    return std::find(offer.lists.begin(), offer.lists.end(), method) != offer.lists.end();
  };
  const auto add = [&out](const char* act, Act deed, std::string target = {},
                          Json arguments = Json::object()) {
    out.push_back({act, {deed, std::move(target), std::move(arguments)}});
  };
  if (lists("tools/list")) add("list", Act::kListsTools);
  if (lists("resources/list")) add("list", Act::kListsResources);
  if (lists("prompts/list")) add("list", Act::kListsPrompts);
  if (offer.call) add("call", Act::kCallsTool, offer.call->name, offer.call->arguments);
  if (offer.progress) {
    add("progress", Act::kCallsTool, offer.progress->name, offer.progress->arguments);
  }
  if (!offer.resource.empty()) add("read", Act::kReadsResource, offer.resource);
  if (!offer.prompt.empty()) {
    add("prompt", Act::kGetsPrompt, offer.prompt, offer.prompt_arguments);
  }
  if (offer.elicit) {
    add("elicit", Act::kAnswersElicitation, offer.elicit->name, offer.elicit->arguments);
  }
  return out;
}

const ClientWay* way_of(const InteropClient& client, Act act) {
  const auto found = std::find_if(client.ways.begin(), client.ways.end(),
                                  [&](const ClientWay& way) { return way.act == act; });
  return found == client.ways.end() ? nullptr : &*found;
}

Launch launch_in(const Launch& launch, const InteropEra& era) {
  Launch out = launch;
  out.words.insert(out.words.end(), era.words.begin(), era.words.end());
  out.environment.insert(out.environment.end(), era.environment.begin(), era.environment.end());
  return out;
}

// One start for each way that leads to one of the acts. Each also connects, and may list.
std::vector<ClientStart> starts_by_ways(const InteropClient& client, const Launch& launch,
                                        const Offer& offer, const std::set<std::string>& acts) {
  std::vector<ClientStart> out;
  for (const ActDeed& each : deeds_of(offer)) {
    const ClientWay* way = way_of(client, each.deed.act);
    if (way == nullptr || !acts.contains(each.act)) continue;
    ClientStart start;
    start.name = name(each.deed.act);
    if (each.act == "progress") start.name += " (progress)";
    start.aims = {each.act};
    start.launch = launch;
    start.launch.words = way->command_for(each.deed, launch.words);
    start.launch.environment.insert(start.launch.environment.end(), way->environment.begin(),
                                    way->environment.end());
    out.push_back(std::move(start));
  }
  return out;
}

}  // namespace

std::set<std::string> askable_acts() {
  return {"connect", "list",   "page",   "call",     "progress",  "cancel", "read",
          "prompt",  "sample", "elicit", "complete", "subscribe", "resume", "expire"};
}

Json plan_of(const Offer& offer, const std::set<std::string>& acts) {
  Json plan = Json::array();
  for (const reports::PairActInfo& info : reports::pair_acts()) {
    const std::string act(info.id);
    if (!acts.contains(act)) continue;
    Json errand = errand_of(act, offer);
    if (errand.is_null()) continue;
    errand["act"] = act;
    plan.push_back(std::move(errand));
  }
  return plan;
}

std::vector<ClientStart> starts_of(const InteropClient& client, const InteropEra& era,
                                   TransportKind transport, const Offer& offer,
                                   const std::set<std::string>& acts) {
  const std::optional<Launch>& launch = client.launch(transport);
  if (!launch) return {};
  const Launch in_era = launch_in(*launch, era);
  if (!client.ways.empty()) return starts_by_ways(client, in_era, offer, acts);
  std::vector<ClientStart> out;
  const auto add = [&](std::string name, const std::set<std::string>& aims) -> ClientStart& {
    ClientStart& start = out.emplace_back();
    start.name = std::move(name);
    start.aims = aims;
    start.launch = in_era;
    start.launch.environment.emplace_back(kActsVariable, plan_of(offer, aims).dump());
    start.has_plan = true;
    return start;
  };
  // What it begins with is no act to be started for, if there is another.
  std::set<std::string> together = acts;
  const bool has_expiry = together.erase("expire") != 0;
  if (!has_expiry || together != std::set<std::string>{"connect"}) add("", together);
  // In a session of its own, which ends in the middle.
  if (has_expiry && transport.has_url() && offer.call) {
    add("expire", {"expire"}).ends_session = true;
  }
  return out;
}

ClientWords read_client_words(const std::string& path) {
  ClientWords words;
  std::ifstream input(path);
  InputLine line;
  for (std::size_t i = 0; i < kMostWords && read_line(input, kLongestWord, line); ++i) {
    if (line.is_too_long) {
      skip_line(input);
      continue;
    }
    const Json json = Json::parse(line.text, nullptr, false);
    const std::string act(text_member(json, "act"));
    const auto ok = json.is_object() ? json.find("ok") : json.end();
    if (reports::find_pair_act(act) == nullptr || ok == json.end()) continue;
    if (!ok->is_boolean() && !ok->is_null()) continue;
    ClientWord word;
    word.kind = ok->is_null()     ? ClientWord::Kind::kCannot
                : ok->get<bool>() ? ClientWord::Kind::kWorked
                                  : ClientWord::Kind::kFailed;
    word.why = reports::printable_line(reports::cut(text_member(json, "why"), kLongestWhy));
    words[act] = std::move(word);
  }
  return words;
}

}  // namespace assay::harness
