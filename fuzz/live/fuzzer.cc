#include "fuzz/live/fuzzer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fuzz/live/operators/escapes.h"
#include "fuzz/live/operators/injections.h"
#include "fuzz/live/proof/proving_share.h"
#include "fuzz/live/target/sandbox.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBatch = 64;           // cases behind one ping, over stdio
constexpr std::size_t kHttpBatch = 64;       // over HTTP
constexpr std::size_t kGrowBatchEvery = 64;  // batches until one that was too large is tried again
constexpr std::size_t kPings = 5000;         // to measure the target's own rate
// Cases on a process of their own: often at first, and then ever more seldom, for a process takes
// long.
constexpr std::size_t kFirstFreshEvery = 96;
constexpr std::size_t kLastFreshEvery = 65'536;
// In percent of the time, at least: for large findings, if there are some.
constexpr int kShrinkingShare = 15;
// A case whose like has cost so many processes is hardly ever made again.
constexpr std::size_t kMostCost = 2;
// What the pings that are measured may take every so often.
constexpr milliseconds kPingTime{100};
constexpr milliseconds kPingEvery{5000};
constexpr milliseconds kTellEvery{200};
constexpr milliseconds kSurveyTime{5000};  // beyond what a start may take

bool costs_a_process(Oracle oracle) {
  return oracle == Oracle::kCrash || oracle == Oracle::kHang;
}

}  // namespace

Fuzzer::Fuzzer(const harness::TargetAccess& access, FuzzOptions options)
    : access_(access), options_(std::move(options)), limit_(options_.stop) {}

std::variant<FuzzOutcome, transport::Failure> Fuzzer::run() {
  began_ = told_at_ = Clock::now();
  harness::Patience patience;
  patience.start = options_.waits.start;
  patience.request = options_.waits.answer;
  // Whatever a target lists: what it has not listed by then is not known of it.
  TimeLimit listing(options_.stop);
  listing.set(began_ + options_.waits.start + kSurveyTime);
  auto words = survey(access_, options_.tools, patience, listing.token(), options_.revision,
                      options_.sandbox);
  if (const auto* failure = std::get_if<transport::Failure>(&words)) return *failure;
  outcome_.words = std::get<Vocabulary>(std::move(words));
  options_.on_survey(outcome_.words);
  generator_ = std::make_unique<Generator>(outcome_.words, options_.seed, is_http());
  generator_->replay_first(std::move(options_.replayed));
  generator_->keep_words(options_.words);
  std::vector<Case> mixed;
  if (options_.checks.contains(Oracle::kInjection)) mixed = injection_cases(outcome_.words);
  if (options_.sandbox != nullptr && options_.checks.contains(Oracle::kTraversal)) {
    std::vector<Case> escapes = escape_cases(outcome_.words);
    mixed.insert(mixed.end(), std::move_iterator(escapes.begin()),
                 std::move_iterator(escapes.end()));
  }
  generator_->mix_in(std::move(mixed));
  prober_ = std::make_unique<Prober>(access_, outcome_.words, options_.waits, limit_.token());
  std::function<std::unique_ptr<Prober>()> another;
  if (options_.proves_at_once) {
    another = [this] {
      return std::make_unique<Prober>(access_, outcome_.words, options_.waits, limit_.token());
    };
  }
  proving_ = std::make_unique<Proving>(Proving::Setting{
      *prober_, std::move(another), is_http(), outcome_.words.revision.has_sessions(),
      options_.minimize, options_.most_findings, options_.on_finding, options_.on_smaller});
  batch_size_ = is_http() ? kHttpBatch : kBatch;
  if (!start_wire()) {
    return transport::Failure{transport::Failure::Kind::kOther,
                              limit_.is_over() ? "it took too long to begin"
                                               : "it did not take the handshake a second time"};
  }
  measure_pings(options_.ping_time);
  began_ = pinged_at_;  // what was asked for is time to fuzz
  limit_.lift();
  if (options_.time) limit_.set(began_ + *options_.time);
  loop();
  close_wire();
  outcome_.slowed_by = delays_.text(Clock::now() - began_ - not_fuzzing_);
  while (!is_done() && proving_->prove_next(proving_share())) tell();
  while (!is_done() && proving_->make_smaller(proving_share())) tell();
  proving_->give_up();
  outcome_.findings = proving_->findings();
  outcome_.unproved = proving_->unproved();
  tell();
  return std::move(outcome_);
}

bool Fuzzer::is_over() const {
  if (limit_.is_over()) return true;
  if (options_.cases && outcome_.progress.cases >= *options_.cases) return true;
  return is_done();
}

bool Fuzzer::is_done() const {
  const auto& findings = proving_->findings();
  return options_.stops_at && !findings.empty() &&
         findings.back().suspicion.oracle == *options_.stops_at;
}

bool Fuzzer::is_time_to_shrink() const {
  if (!options_.time || !proving_->has_large()) return false;
  // A hang is waited for, and then there is to be time to try something.
  const milliseconds wanted = proving_->shrinking_time() + *options_.time / 5;
  const milliseconds left =
      std::clamp(wanted, *options_.time / 100 * kShrinkingShare, *options_.time / 2);
  return Clock::now() - began_ >= *options_.time - left;
}

void Fuzzer::close_wire() {
  if (!wire_) return;
  wire_->close();
  delays_.add(wire_->delays());
}

bool Fuzzer::start_wire() {
  close_wire();
  wire_ = make_wire({access_, outcome_.words, options_.waits, nullptr, limit_.token()}, false);
  history_.clear();
  held_before_.clear();
  memory_at_start_.reset();
  needs_restart_ = false;
  if (wire_->open() || !wire_->begin()) return false;
  memory_at_start_ = wire_->held(Oracle::kMemory);
  return true;
}

void Fuzzer::measure_pings(milliseconds time) {
  const auto start = Clock::now();
  std::size_t count = 0;
  while (count < kPings && Clock::now() - start < time && wire_->ping()) ++count;
  pinged_at_ = Clock::now();
  (void)wire_->judge().take_shapes();
  pinged_ += count;
  pinging_ += pinged_at_ - start;
  if (outcome_.progress.cases > 0) not_fuzzing_ += pinged_at_ - start;
  const double seconds = std::chrono::duration<double>(pinging_).count();
  outcome_.ping_rate = seconds > 0 ? static_cast<double>(pinged_) / seconds : 0;
}

// While the target works on one batch the next one is made.
void Fuzzer::loop() {
  Batch current = make_batch();
  post(current);
  while (true) {
    const bool is_last = is_over();
    Batch following = is_last ? Batch{} : make_batch();
    const WireState state = wire_->await();
    // What was asked last has as much time for its answer as everything else.
    const std::size_t sent = outcome_.progress.cases + current.cases.size();
    const bool ends = is_last || (options_.cases && sent >= *options_.cases);
    if (ends && state == WireState::kAlive && !is_done()) wire_->settle();
    finish_batch(current, state);
    if (is_last || is_over() || !attend(state) || is_time_to_shrink()) return;
    current = std::move(following);
    post(current);
    tell();
  }
}

bool Fuzzer::attend(WireState state) {
  if (state == WireState::kCut) {
    batch_size_ = std::max<std::size_t>(batch_size_ / 2, 1);
  } else if (batches_ % kGrowBatchEvery == 0) {
    batch_size_ = std::min(2 * batch_size_, is_http() ? kHttpBatch : kBatch);
  }
  prove();
  if (is_over()) return false;
  if ((state != WireState::kAlive || needs_restart_) && !start_wire()) {
    outcome_.went_away = !limit_.is_over();
    return false;
  }
  if (outcome_.progress.cases >= next_fresh_) run_fresh_case();
  if (Clock::now() - pinged_at_ >= kPingEvery) measure_pings(kPingTime);
  return true;
}

void Fuzzer::post(const Batch& batch) {
  if (options_.sandbox != nullptr) options_.sandbox->restore();
  wire_->set_manners(batch.manners);
  wire_->post(batch.cases, batch.first_number);
}

Fuzzer::Batch Fuzzer::make_batch() {
  Batch batch;
  batch.manners = generator_->next_manners();
  batch.first_number = next_number_;
  for (std::size_t i = 0; i < batch_size_; ++i) batch.cases.push_back(generator_->next());
  next_number_ += batch.cases.size();
  return batch;
}

void Fuzzer::finish_batch(const Batch& batch, WireState state) {
  outcome_.progress.cases += batch.cases.size();
  ++batches_;
  if (state == WireState::kCut && !limit_.is_over()) ++outcome_.progress.floods;
  std::size_t number = batch.first_number;
  for (const Case& one : batch.cases) history_.add({one, number++, batch.manners});
  LiveJudge& judge = wire_->judge();
  if (state == WireState::kAlive) {
    const auto since = Clock::now() - options_.waits.answer;
    judge.give_up_on(since);
    if (!is_http()) judge.give_up_on_calls(since, true);
  }
  const std::vector<NewShape> shapes = judge.take_shapes();
  // What a dying process still said depends on when it was heard.
  const std::vector<Learnt> learnt = judge.take_learnt();
  const std::vector<Word> words = judge.take_words();
  if (state == WireState::kAlive) {
    keep_new(shapes, batch);
    generator_->learn(learnt);
    generator_->learn_words(words);
  }
  suspect(judge.take_suspicions(), batch);
  if (state == WireState::kAlive) watch_growth();
}

void Fuzzer::keep_new(const std::vector<NewShape>& shapes, const Batch& batch) {
  std::vector<std::size_t> kept;
  for (const NewShape& shape : shapes) {
    if (!shapes_.insert(shape.hash).second) continue;
    const std::size_t index = shape.case_number - batch.first_number;
    if (shape.case_number < batch.first_number || index >= batch.cases.size()) continue;
    if (std::find(kept.begin(), kept.end(), index) != kept.end()) continue;
    kept.push_back(index);
    generator_->keep(batch.cases[index]);
    options_.on_new_shape(batch.cases[index]);
  }
  outcome_.progress.shapes = shapes_.size();
}

void Fuzzer::run_fresh_case() {
  const Case made = generator_->next_fresh();
  fresh_every_ = std::clamp(fresh_every_ + fresh_every_ / 5, kFirstFreshEvery, kLastFreshEvery);
  next_fresh_ = outcome_.progress.cases + fresh_every_;
  ++outcome_.progress.cases;
  const auto start = Clock::now();
  const Suspicions suspicions = prober_->run({made.steps, true, 0}, options_.waits);
  not_fuzzing_ += Clock::now() - start;
  const auto sent = std::make_shared<const Sent>(Sent{made, 1, 0});
  for (const Suspicion& suspicion : suspicions) {
    if (!options_.checks.contains(suspicion.oracle)) continue;
    Suspect suspect{suspicion, sent, {sent}, 1, 1, 0, outcome_.progress.cases};
    if (proving_->wants(suspect)) proving_->add(std::move(suspect));
  }
  prove();
}

void Fuzzer::suspect(const Suspicions& suspicions, const Batch& batch) {
  for (const Suspicion& suspicion : suspicions) {
    if (!options_.checks.contains(suspicion.oracle)) continue;
    Suspect suspect;
    suspect.suspicion = suspicion;
    suspect.culprit = history_.find(suspicion.case_number);
    suspect.first_of_batch = batch.first_number;
    suspect.last_of_batch = batch.first_number + batch.cases.size() - 1;
    suspect.manners = batch.manners;
    suspect.found_at_case = outcome_.progress.cases;
    note_costly(suspect);
    if (!proving_->wants(suspect)) continue;
    suspect.before = history_.latest(Proving::kMostGathered);
    proving_->add(std::move(suspect));
  }
}

// Decided by what was seen and not by what was proved, so that the same answers of the target give
// the same cases, however long proofs take.
void Fuzzer::note_costly(const Suspect& suspect) {
  if (!costs_a_process(suspect.suspicion.oracle) || suspect.origin().empty()) return;
  if (++costly_[suspect.origin()] >= kMostCost) generator_->avoid(suspect.origin());
}

milliseconds Fuzzer::proving_share() const {
  const auto in_milliseconds = [](Clock::duration time) {
    return std::chrono::duration_cast<milliseconds>(time);
  };
  const ProvingShare share(options_.time);
  const milliseconds passed = in_milliseconds(Clock::now() - began_);
  return is_over() ? share.at_end(passed) : share.next(passed, in_milliseconds(proving_time_));
}

void Fuzzer::prove() {
  const auto start = Clock::now();
  while (proving_->has_work() && !is_done() && !limit_.is_over()) {
    const auto share = proving_share();
    const auto began = Clock::now();
    if (share <= milliseconds(0) || !proving_->prove_next(share)) break;
    proving_time_ += Clock::now() - began;
    tell();
  }
  not_fuzzing_ += Clock::now() - start;
}

void Fuzzer::tell() {
  Progress& progress = outcome_.progress;
  progress.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  progress.fuzzing_seconds = progress.seconds - std::chrono::duration<double>(not_fuzzing_).count();
  progress.findings = proving_->findings().size();
  progress.unproved = proving_->unproved().size();
  progress.not_reproduced = proving_->not_reproduced();
  progress.trials = prober_->trials() + proving_->more_trials();
  if (Clock::now() - told_at_ < kTellEvery) return;
  told_at_ = Clock::now();
  options_.on_progress(progress);
}

}  // namespace assay::fuzz
