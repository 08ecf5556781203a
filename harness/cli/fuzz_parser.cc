// mcp-assay fuzz-parser: a parser in any language, over a pipe, beside ours.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/parsers/case_maker.h"
#include "harness/parsers/findings.h"
#include "harness/parsers/pipe_parser.h"

namespace assay::cli {
namespace {

using harness::Disagreement;
using harness::ParserAnswer;
using harness::ParserFindings;
using harness::PipeParser;

constexpr std::size_t kAtOnce = 64;           // questions on their way
constexpr std::size_t kMostStops = 20;        // crashes and hangs, before the parser is given up
constexpr std::size_t kMostQuestions = 2000;  // to make one example smaller
constexpr double kDefaultTime = 60;           // seconds
constexpr double kLongestTime = 7 * 86400.0;  // seconds

// One way in which the parser stopped, with the text that did it.
struct Stop {
  PipeParser::End end;
  std::string detail;
  std::string text;
};

std::string_view verb(PipeParser::End end) {
  switch (end) {
    case PipeParser::End::kExited:
      return "ends";
    case PipeParser::End::kHung:
      return "hangs";
    case PipeParser::End::kDamaged:
      return "answers out of turn";
    case PipeParser::End::kAll:
      break;
  }
  return "answers";
}

class FuzzParserCommand : public Command {
 public:
  std::string_view name() const override { return "fuzz-parser"; }
  std::string_view summary() const override {
    return "Compare a JSON or JSON-RPC parser with a strict one";
  }

  void declare(Arguments& arguments) override {
    arguments.command_line(command_, "The command that starts your parser");
    arguments.choice("--level", level_, {"json", "message"},
                     "What the parser reads: any JSON, or JSON-RPC messages only (default: json)");
    arguments.number("--cases", cases_, 1, 1'000'000'000, "N", "Stop after N questions");
    arguments.seconds("--time", time_, "Stop after this time (default: 60, without --cases)");
    arguments.number("--seed", seed_, 0, INT64_MAX, "N",
                     "The same seed asks the same questions (default: 1)");
    arguments.seconds("--timeout", timeout_, "Longest wait for one answer (default: 5)");
    arguments.flag("--markdown", is_markdown_, "Print the disagreements as a Markdown table");
    arguments.footer(
        "The parser reads one line for each question: the base64 of some bytes (an empty line "
        "stands for no\n"
        "bytes). It answers each with one line: `accept`, or `accept` with a space and the value "
        "as JSON, or\n"
        "`refuse`, which may be followed by a space and a reason. It ends when its input ends. A "
        "parser in\n"
        "Python:\n"
        "\n"
        "  import sys, base64, json\n"
        "  for line in sys.stdin:\n"
        "      try: print('accept', json.dumps(json.loads(base64.b64decode(line))), flush=True)\n"
        "      except Exception: print('refuse', flush=True)\n"
        "\n"
        "Exit status: 0 the parser agrees, 1 it disagrees, crashes or hangs, 2 wrong command line, "
        "3 the\n"
        "parser does not start.");
  }

  int run() override {
    if (command_.empty()) throw UsageError("name the parser's command after --");
    Interrupt interrupt;
    PipeParser parser(command_,
                      std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3)));
    if (const auto trouble = parser.start()) {
      fmt::print(stderr, "mcp-assay fuzz-parser: {}\n", *trouble);
      return kNotTested;
    }
    parser_ = &parser;
    ask_all(interrupt.token());
    if (!interrupt.was_requested()) minimize_all();
    print();
    if (has_never_answered_) return kNotTested;
    return findings_.all().empty() && stops_.empty() ? kConformant : kViolations;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ask_all(const std::stop_token& stop) {
    const auto begin = Clock::now();
    const std::chrono::duration<double> longest(time_ > 0    ? time_
                                                : cases_ > 0 ? kLongestTime
                                                             : kDefaultTime);
    harness::CaseMaker maker(static_cast<std::uint64_t>(seed_));
    while (!stop.stop_requested() && Clock::now() - begin < longest && stops_.size() < kMostStops &&
           (cases_ == 0 || asked_ < static_cast<std::uint64_t>(cases_))) {
      std::vector<std::string> texts;
      while (texts.size() < kAtOnce &&
             (cases_ == 0 || asked_ + texts.size() < static_cast<std::uint64_t>(cases_))) {
        texts.push_back(maker.next());
      }
      if (!ask(texts)) break;
    }
    elapsed_ = Clock::now() - begin;
  }

  // False if the parser is of no further use.
  bool ask(std::span<const std::string> texts) {
    while (!texts.empty()) {
      const PipeParser::Round round = parser_->ask(texts);
      for (std::size_t i = 0; i < round.answers.size(); ++i) judge(texts[i], round.answers[i]);
      asked_ += round.answers.size();
      if (round.end == PipeParser::End::kAll) return true;
      if (asked_ == 0) {
        fmt::print(stderr, "mcp-assay fuzz-parser: no answer to the first question: {}\n",
                   round.detail);
        has_never_answered_ = true;
        return false;
      }
      // The first text without an answer did it, or one of those that it had read ahead.
      stops_.push_back({round.end, round.detail, texts[round.answers.size()]});
      texts = texts.subspan(round.answers.size() + 1);
      ++asked_;
      if (stops_.size() >= kMostStops || parser_->start()) return false;
    }
    return true;
  }

  harness::ParserLevel level() const {
    return level_ == "message" ? harness::ParserLevel::kMessage : harness::ParserLevel::kJson;
  }

  void judge(const std::string& text, const ParserAnswer& answer) {
    if (const auto found = harness::compare(text, answer, level())) {
      findings_.add(*found, text, answer.canonical.value_or(""));
    }
  }

  void minimize_all() {
    if (has_never_answered_ || parser_->start()) return;
    const std::map<Disagreement, ParserFindings::Example> found = findings_.all();
    for (const auto& entry : found) {
      const Disagreement& disagreement = entry.first;
      const ParserFindings::Example& example = entry.second;
      std::string canonical = example.canonical;
      bool is_usable = true;
      const auto still = [&](const std::string& text) {
        if (!is_usable) return false;
        const PipeParser::Round round = parser_->ask(std::span(&text, 1));
        if (round.end != PipeParser::End::kAll) {
          is_usable = !parser_->start();
          return false;
        }
        if (harness::compare(text, round.answers[0], level()) != disagreement) return false;
        canonical = round.answers[0].canonical.value_or("");
        return true;
      };
      std::string smaller = harness::minimize(example.bytes, kMostQuestions, still);
      findings_.replace(disagreement, std::move(smaller), canonical);
      if (!is_usable) return;
    }
  }

  void print() const {
    for (const Stop& stop : stops_) {
      fmt::print("{}: {} ({})\n", verb(stop.end), harness::printable_bytes(stop.text, 400),
                 stop.detail);
    }
    if (is_markdown_) {
      fmt::print("| it | what | for example |\n|---|---|---|\n");
    }
    for (const auto& [disagreement, example] : findings_.all()) {
      if (is_markdown_) {
        print_row(disagreement, example);
      } else {
        fmt::print("{}\n", to_text(disagreement, example));
      }
    }
    std::fflush(stdout);
    fmt::print(stderr, "{} questions in {:.1f} s, {} disagreements, {} crashes or hangs\n", asked_,
               elapsed_.count(), findings_.all().size(), stops_.size());
  }

  static void print_row(const Disagreement& disagreement, const ParserFindings::Example& example) {
    std::string shown = harness::printable_bytes(example.bytes);
    if (disagreement.kind == Disagreement::Kind::kChanges) {
      shown += " becomes " + harness::printable_bytes(example.canonical);
    }
    std::string cell;
    for (const char c : shown) cell += c == '|' ? std::string("\\|") : std::string(1, c);
    fmt::print("| {} | {} | `{}` |\n", harness::name(disagreement.kind), disagreement.what, cell);
  }

  std::int64_t cases_ = 0;  // 0: as many as fit into the time
  double time_ = 0;         // seconds; 0: not given
  std::int64_t seed_ = 1;
  double timeout_ = 5;
  std::string level_ = "json";
  bool is_markdown_ = false;
  std::vector<std::string> command_;

  PipeParser* parser_ = nullptr;  // while run() lasts
  ParserFindings findings_;
  std::vector<Stop> stops_;
  std::uint64_t asked_ = 0;
  bool has_never_answered_ = false;
  std::chrono::duration<double> elapsed_{0};
};

const CommandRegistration<FuzzParserCommand> kFuzzParserCommandRegistration;

}  // namespace
}  // namespace assay::cli
