// Judges whether the target uses only what was negotiated: its requests by what our side declared,
// its notifications by what it declared itself; and whether a server knows what it declared.
//
// Specification: basic/lifecycle ("Operation"), and the "Capabilities" of each feature's page; of
// 2026-07-28 basic/index ("_meta"), where each request declares for itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

struct Use {
  std::string_view method;
  std::string_view capability;
};

constexpr std::array kRequests = {
    Use{"sampling/createMessage", "sampling"},
    Use{"elicitation/create", "elicitation"},
    Use{"roots/list", "roots"},
};

constexpr std::array kNotifications = {
    Use{"notifications/tools/list_changed", "tools.listChanged"},
    Use{"notifications/prompts/list_changed", "prompts.listChanged"},
    Use{"notifications/resources/list_changed", "resources.listChanged"},
    Use{"notifications/resources/updated", "resources.subscribe"},
};

// What a client asks for, by the beginning of the method: the longer ones first.
constexpr std::array kUses = {
    Use{"resources/subscribe", "resources.subscribe"},
    Use{"resources/unsubscribe", "resources.subscribe"},
    Use{"resources/", "resources"},
    Use{"tools/", "tools"},
    Use{"prompts/", "prompts"},
    Use{"logging/", "logging"},
    Use{"completion/", "completions"},
    Use{"tasks/list", "tasks.list"},
    Use{"tasks/cancel", "tasks.cancel"},
};

// What a server that declares the capability knows, whatever it is asked for. A method that is used
// by a name may be refused in the same words, because there is no such tool.
constexpr std::array kServed = {
    Use{"tools/list", "tools"},
    Use{"prompts/list", "prompts"},
    Use{"resources/list", "resources"},
    Use{"resources/subscribe", "resources.subscribe"},
    Use{"resources/unsubscribe", "resources.subscribe"},
    Use{"logging/setLevel", "logging"},
    Use{"completion/complete", "completions"},
    Use{"tasks/list", "tasks.list"},
};

template <std::size_t N>
const Use* find(const std::array<Use, N>& uses, std::string_view method) {
  const auto found =
      std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return use.method == method; });
  return found == uses.end() ? nullptr : &*found;
}

class CapabilityMonitor : public Monitor {
 public:
  std::string_view name() const override { return "capability_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"lifecycle.uses-negotiated-capabilities", "roots.capability-checked",
            "elicitation.undeclared-mode-not-sent",   "logging.capability-declared",
            "prompts.negotiation-respected",          "lifecycle.declared-capabilities-served"};
  }
  std::vector<RequirementId> client_requirements() const override {
    return {"lifecycle.uses-negotiated-capabilities", "prompts.negotiation-respected"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (judge.judged() == Party::kClient) {
      judge_client(sighting, session, judge);
      return;
    }
    // Before `initialize` was answered nothing is negotiated; another rule speaks of that. Without
    // a handshake nobody knows what a server declares until it is asked.
    if (!sighting.is_from_judged || session.server().is_null()) return;
    const std::string_view method = sighting.message.method();
    if (sighting.is_error()) {
      judge_refusal(sighting, session, judge);
    } else if (sighting.is_request()) {
      // Without a handshake a server may not send one at all.
      const Use* use = session.revision().has_server_requests() ? find(kRequests, method) : nullptr;
      if (use != nullptr) judge_request(*use, sighting, session, judge);
    } else if (sighting.is_notification()) {
      if (method == "notifications/message") {
        judge.check("logging.capability-declared", session.server_declares("logging"),
                    "a log message from a server that does not declare logging", sighting.event);
        return;
      }
      const Use* use = find(kNotifications, method);
      if (use == nullptr) return;
      const bool is_declared = session.server_declares(use->capability);
      const std::string detail =
          fmt::format("{} was sent, but the server does not declare {}", method, use->capability);
      judge.check("lifecycle.uses-negotiated-capabilities", is_declared, detail, sighting.event,
                  "/method");
      if (use->capability == "prompts.listChanged") {
        judge.check("prompts.negotiation-respected", is_declared, detail, sighting.event,
                    "/method");
      }
    }
  }

  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    // What a task asks rests on what the call declared that it came of.
    if (!sighting.is_from_judged || !sighting.is_request() || sighting.is_of_task) return;
    // A request that declares nothing at all is malformed; another rule speaks of that.
    if (!session.client_capabilities().is_object()) return;
    const Use* use = find(kRequests, sighting.message.method());
    if (use != nullptr) judge_request(*use, sighting, session, judge);
  }

 private:
  // By what the server declared; and where there was a handshake, as only then it was negotiated.
  static void judge_client(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool speaks = sighting.is_request() || sighting.is_notification();
    if (!sighting.is_from_judged || !speaks || session.server().is_null()) return;
    if (session.revision().is_stateless()) return;
    const std::string_view method = sighting.message.method();
    if (method == "notifications/roots/list_changed") {
      judge.check("lifecycle.uses-negotiated-capabilities",
                  session.client_declares("roots.listChanged"),
                  "the client announces changed roots, and does not declare roots.listChanged",
                  sighting.event, "/method");
      return;
    }
    const auto use = std::find_if(kUses.begin(), kUses.end(),
                                  [&](const Use& each) { return method.starts_with(each.method); });
    if (use == kUses.end()) return;
    if (use->capability == "completions" && !session.revision().has_completions_capability())
      return;
    const bool is_declared = session.server_declares(use->capability);
    const std::string detail = fmt::format("the client sent {}, and the server does not declare {}",
                                           method.substr(0, 80), use->capability);
    judge.check("lifecycle.uses-negotiated-capabilities", is_declared, detail, sighting.event,
                "/method");
    if (use->capability == "prompts") {
      judge.check("prompts.negotiation-respected", is_declared, detail, sighting.event, "/method");
    }
  }

  // That a method is not known is a breach where its capability is declared. That it is known shows
  // little: a scenario asks for more.
  static void judge_refusal(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool is_of_method = sighting.message.error_code() == wire::kMethodNotFound &&
                              sighting.exchange != nullptr && !sighting.exchange->is_ambiguous;
    if (!is_of_method || !session.is_initialized()) return;
    const Use* use = find(kServed, sighting.exchange->request.method());
    if (use == nullptr || !session.server_declares(use->capability)) return;
    if (!member(sighting.exchange->request.params(), "cursor").is_null()) return;
    judge.broke("lifecycle.declared-capabilities-served",
                fmt::format("{} is declared, but {} is answered with method not found",
                            use->capability, use->method),
                {sighting.exchange->request_event, sighting.event});
  }

  static void judge_request(const Use& use, const Sighting& sighting, const SessionView& session,
                            Judge& judge) {
    const bool is_declared = session.client_declares(use.capability);
    const std::string detail =
        fmt::format("{} was sent, but the client does not declare {}", use.method, use.capability);
    judge.check("lifecycle.uses-negotiated-capabilities", is_declared, detail, sighting.event,
                "/method");
    if (use.capability == "roots") {
      judge.check("roots.capability-checked", is_declared, detail, sighting.event, "/method");
    }
    if (use.capability == "elicitation" && is_declared &&
        session.revision().has_url_elicitation()) {
      judge_mode(sighting, session, judge);
    }
  }

  // An empty `elicitation` means forms only.
  static void judge_mode(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& mode = member(sighting.message.params(), "mode");
    const Json& declared = member(session.client_capabilities(), "elicitation");
    const bool is_url = mode == "url";
    if (!is_url && !mode.is_null() && mode != "form") return;
    const bool is_supported =
        is_url ? member(declared, "url").is_object()
               : member(declared, "form").is_object() || !member(declared, "url").is_object();
    judge.check("elicitation.undeclared-mode-not-sent", is_supported,
                fmt::format("an elicitation in {} mode, which the client does not declare",
                            is_url ? "url" : "form"),
                sighting.event, "/params/mode");
  }
};

const MonitorRegistration<CapabilityMonitor> kCapabilityMonitorRegistration;

}  // namespace
}  // namespace assay::harness
