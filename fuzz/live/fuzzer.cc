#include "fuzz/live/fuzzer.h"

#include <algorithm>
#include <utility>

#include "fuzz/live/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kBatch = 64;     // cases behind one ping, over stdio
constexpr std::size_t kHttpBatch = 8;  // over HTTP
constexpr std::size_t kPings = 5000;   // to measure the target's own rate
constexpr std::size_t kHistoryBytes = 64u << 20;
constexpr std::size_t kGrowthEvery = 32;  // batches between two looks at what the process holds
// Cases on a process of their own: often at first, and then ever more seldom, for a process takes
// long.
constexpr std::size_t kFirstFreshEvery = 96;
constexpr std::size_t kLastFreshEvery = 65'536;
constexpr std::size_t kMostGrowthLooks = 3;
constexpr std::size_t kMostGrowers = 64;  // cases among which the one that grows is searched for
// What the pings that are measured may take at first, and then every so often.
constexpr std::chrono::milliseconds kFirstPingTime{1000};
constexpr std::chrono::milliseconds kPingTime{100};
constexpr std::chrono::milliseconds kPingEvery{5000};
constexpr std::chrono::milliseconds kTellEvery{200};
}  // namespace

std::variant<FuzzOutcome, transport::Failure> Fuzzer::run() {
  began_ = told_at_ = Clock::now();
  harness::Patience patience;
  patience.start = options_.waits.start;
  patience.request = options_.waits.answer;
  auto words = survey(access_, options_.tools, patience, options_.stop);
  if (const auto* failure = std::get_if<transport::Failure>(&words)) return *failure;
  outcome_.words = std::get<Vocabulary>(std::move(words));
  options_.on_survey(outcome_.words);
  const bool is_http = access_.kind != harness::TransportKind::kStdio;
  generator_ = std::make_unique<Generator>(outcome_.words, options_.seed, is_http);
  prober_ = std::make_unique<Prober>(access_, outcome_.words, options_.waits, options_.stop);
  if (!start_wire()) {
    return transport::Failure{transport::Failure::Kind::kOther,
                              "it did not take the handshake a second time"};
  }
  measure_pings(kFirstPingTime);
  began_ = pinged_at_;  // what was asked for is time to fuzz
  loop();
  tell();
  wire_->close();
  return std::move(outcome_);
}

double Fuzzer::seconds_since(Clock::time_point time) const {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

bool Fuzzer::is_over() const {
  if (options_.stop.stop_requested()) return true;
  if (options_.cases && outcome_.progress.cases >= *options_.cases) return true;
  if (options_.stops_at && !outcome_.findings.empty() &&
      outcome_.findings.back().suspicion.oracle == *options_.stops_at) {
    return true;
  }
  return options_.time && Clock::now() - began_ >= *options_.time;
}

bool Fuzzer::start_wire() {
  if (wire_) wire_->close();
  wire_ = make_wire({access_, outcome_.words, options_.waits, nullptr}, false);
  history_.clear();
  history_bytes_ = 0;
  held_before_.reset();
  return !wire_->open() && wire_->begin();
}

void Fuzzer::measure_pings(std::chrono::milliseconds time) {
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
    finish_batch(current, state);
    if (is_last || is_over()) return;
    if (state != WireState::kAlive && !start_wire()) {
      outcome_.went_away = true;
      return;
    }
    if (outcome_.progress.cases >= next_fresh_) run_fresh_case();
    if (Clock::now() - pinged_at_ >= kPingEvery) measure_pings(kPingTime);
    current = std::move(following);
    post(current);
    tell();
  }
}

void Fuzzer::post(const Batch& batch) {
  wire_->set_manners(batch.manners);
  wire_->post(batch.cases, batch.first_number);
}

Fuzzer::Batch Fuzzer::make_batch() {
  Batch batch;
  batch.manners = generator_->next_manners();
  batch.first_number = next_number_;
  const bool is_http = access_.kind != harness::TransportKind::kStdio;
  for (std::size_t i = 0; i < (is_http ? kHttpBatch : kBatch); ++i) {
    batch.cases.push_back(generator_->next());
  }
  next_number_ += batch.cases.size();
  return batch;
}

void Fuzzer::finish_batch(const Batch& batch, WireState state) {
  outcome_.progress.cases += batch.cases.size();
  ++batches_;
  remember(batch);
  Judge& judge = wire_->judge();
  if (state == WireState::kAlive) judge.give_up_on(Clock::now() - options_.waits.answer);
  const std::vector<Shape> shapes = judge.take_shapes();
  const Suspicions suspicions = judge.take_suspicions();
  // What a dying process still said depends on when it was heard.
  if (state == WireState::kAlive) keep_new(shapes, batch);
  look_into(suspicions, batch);
  if (state == WireState::kAlive && batches_ % kGrowthEvery == 0) watch_growth();
}

void Fuzzer::remember(const Batch& batch) {
  std::size_t number = batch.first_number;
  for (const Case& one : batch.cases) {
    history_.push_back({one, number++, batch.manners});
    history_bytes_ += bytes_of(one);
  }
  while (history_bytes_ > kHistoryBytes && !history_.empty()) {
    history_bytes_ -= bytes_of(history_.front().made);
    history_.pop_front();
  }
}

void Fuzzer::keep_new(const std::vector<Shape>& shapes, const Batch& batch) {
  std::vector<std::size_t> kept;
  for (const Shape& shape : shapes) {
    if (!shapes_.insert(shape.hash).second) continue;
    const std::size_t index = shape.case_number - batch.first_number;
    if (shape.case_number < batch.first_number || index >= batch.cases.size()) continue;
    if (std::find(kept.begin(), kept.end(), index) != kept.end()) continue;
    kept.push_back(index);
    generator_->keep(batch.cases[index]);
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
  look_into(suspicions, {{made}, 1, 0});
}

void Fuzzer::look_into(const Suspicions& suspicions, const Batch& batch) {
  for (const Suspicion& suspicion : suspicions) {
    if (is_over()) return;
    const auto start = Clock::now();
    investigate(suspicion, batch);
    not_fuzzing_ += Clock::now() - start;
  }
}

void Fuzzer::watch_growth() {
  const auto now = wire_->holdings();
  if (!now) return;
  if (!held_before_ || batches_ <= kGrowthEvery) {
    held_before_ = now;
    return;
  }
  const auto start = Clock::now();
  if (now->memory_bytes > held_before_->memory_bytes + options_.memory_step) {
    held_before_->memory_bytes = now->memory_bytes;
    find_grower(Oracle::kMemory);
  }
  if (now->descriptors > held_before_->descriptors + options_.descriptor_step) {
    held_before_->descriptors = now->descriptors;
    find_grower(Oracle::kDescriptors);
  }
  not_fuzzing_ += Clock::now() - start;
}

// Among the recent cases of different origins: the one, and the step of it, that grows by itself.
void Fuzzer::find_grower(Oracle what) {
  if (growth_looks_[what]++ >= kMostGrowthLooks) return;
  std::vector<Case> suspects;
  std::unordered_set<std::string> seen;
  for (auto sent = history_.rbegin(); sent != history_.rend() && suspects.size() < kMostGrowers;
       ++sent) {
    const Case& one = sent->made;
    if (bytes_of(one) > 16'384) continue;  // big ones leave big buffers behind
    const Recipe recipe{one.steps, false, 0};
    if (seen.insert(outline(recipe)).second) suspects.push_back(one);
  }
  const auto grows = [&](const std::vector<Case>& cases) {
    if (prober_->is_stopped()) return false;
    GrowthLimits limits = options_.growth;
    limits.repeats = std::max<std::size_t>(limits.repeats / cases.size(), 8);
    return prober_->grows(cases, what, limits).has_value();
  };
  if (suspects.empty() || !grows(suspects)) {
    ++outcome_.progress.not_reproduced;
    return;
  }
  const bool is_http = access_.kind != harness::TransportKind::kStdio;
  Finding finding;
  for (const Case& each : suspects) {
    finding.messages_before += count_messages(each.steps, is_http);
  }
  const Case grower = narrow(std::move(suspects), grows);
  auto proof =
      prober_->is_stopped() ? std::nullopt : prober_->grows({grower}, what, options_.growth);
  if (!proof) {
    ++outcome_.progress.not_reproduced;
    return;
  }
  finding.suspicion = std::move(*proof);
  finding.origin = grower.origin;
  finding.recipe = {grower.steps, false, 0};
  finding.found_at_case = outcome_.progress.cases;
  finding.messages = count_messages(grower.steps, is_http);
  harness::Transcript transcript;
  (void)prober_->run(finding.recipe, options_.waits, &transcript);
  finding.transcript = transcript.events();
  add(std::move(finding));
}

void Fuzzer::tell() {
  Progress& progress = outcome_.progress;
  progress.seconds = seconds_since(began_);
  progress.fuzzing_seconds = progress.seconds - std::chrono::duration<double>(not_fuzzing_).count();
  progress.trials = prober_ ? prober_->trials() : 0;
  if (Clock::now() - told_at_ < kTellEvery) return;
  told_at_ = Clock::now();
  options_.on_progress(progress);
}

}  // namespace assay::fuzz
