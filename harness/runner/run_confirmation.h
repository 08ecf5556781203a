// What a run tries again, alone, before anybody is accused of it: silence, muteness, a late start.
// confirmation.h says what two tries prove together.
#pragma once

#include "harness/runner/opening.h"
#include "harness/runner/run_record.h"
#include "harness/runner/schedule.h"

namespace assay::harness {

class Confirmation {
 public:
  Confirmation(RunRecord& record, Opening& opening, Schedule& schedule)
      : record_(record),
        context_(record.context()),
        state_(record.state()),
        opening_(opening),
        schedule_(schedule) {}

  // Plays again, alone, whatever was found broken because something did not come in time, what
  // could not begin in time, and what met a limit. Call it when nothing else runs.
  void run();

 private:
  // Does a target that seemed mute speak after all? Then everything is run, late.
  void confirm_muteness();
  // Is `server/discover` left without an answer again?
  void confirm_discovery();
  void note_confirmed_opening();
  // A server that is reached by URL may have gone away meanwhile: nobody is blamed for that.
  void confirm_presence();
  // With more patience: what could not begin in time.
  void confirm_late();
  // No faster than the target allows: what met a limit, or lost its session.
  void play_obstructed();
  void play_obstructed(Schedule::Postponed& postponed);
  // Is what needs a second look broken again?
  void look_again();
  void look_again(const Scenario& scenario);
  Patience more_patience() const;

  RunRecord& record_;
  RunContext& context_;
  RunRecord::State& state_;
  Opening& opening_;
  Schedule& schedule_;
};

}  // namespace assay::harness
