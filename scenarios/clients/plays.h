// What every scenario for clients needs: a file of them begins with this header.
#pragma once

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/script/capability.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {

using catalogue::RequirementId;
using harness::array_member;
using harness::ClientScenarioRegistration;
using harness::EventPtr;
using harness::make_play;
using harness::member;
using harness::Play;
using harness::Review;
using harness::Said;
using harness::text_member;
using harness::TransportKind;
using harness::Visit;

}  // namespace assay::scenarios
