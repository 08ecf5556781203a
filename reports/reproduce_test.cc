// The command under "reproduce" is there to be pasted: what each format shows runs in a shell, and
// does what was meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "reports/escape.h"
#include "reports/result_testing.h"
#include "reports/text.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the command prints.
std::string executed(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) return "";
  std::string out;
  char block[4096];
  for (std::size_t size = 0; (size = std::fread(block, 1, sizeof block, pipe.get())) > 0;) {
    out.append(block, size);
  }
  return out;
}

// Everything that a format quotes for itself, blanks in a row, and more than a line's width.
std::string message() {
  std::string text = R"({"a":"it's  <b>&amp; `x` $HOME \\ \" | * _ # ~~ %s ]]> -- ä","b":[)";
  for (int i = 0; i < 400; ++i) text += std::to_string(i) + ", ";
  return text + "0]}";
}

std::string command() {
  return "printf '%s\\n' " + shell_word(message()) + " | cat";
}

Result with_command(const std::string& command) {
  Result result = testing::sample();
  result.runs.resize(1);
  Verdict violation = testing::violation();
  violation.reproduce = command;
  result.runs[0].verdicts = {violation};
  return result;
}

// The text between two marks; empty if they are not there.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t at = from + begin.size();
  const std::size_t to = text.find(end, at);
  return to == std::string::npos ? "" : text.substr(at, to - at);
}

std::string unescaped_markup(const std::string& text) {
  pugi::xml_document document;
  document.load_string(("<x>" + text + "</x>").c_str());
  return document.child("x").text().get();
}

std::string of_junit(const std::string& report) {
  pugi::xml_document document;
  document.load_string(report.c_str());
  const std::string body = document.select_node("//failure").node().text().get();
  return between(body, "Reproduce: ", "\n");
}

std::string of_sarif(const std::string& report) {
  const auto json = nlohmann::json::parse(report);
  const std::string text = json["runs"][0]["results"][0]["message"]["text"];
  return between(text + "\n", "reproduce: ", "\n");
}

// What a reader of each format copies.
const std::map<std::string, std::function<std::string(const std::string&)>, std::less<>> kCopies = {
    {"html",
     [](const std::string& page) {
       const std::string block = between(page, "<pre class=\"command\"", "</pre>");
       return unescaped_markup(block.substr(block.find('>') + 1));
     }},
    {"json",
     [](const std::string& report) {
       return nlohmann::json::parse(report)["runs"][0]["verdicts"][0]["reproduce"]
           .get<std::string>();
     }},
    {"junit", of_junit},
    {"markdown",
     [](const std::string& page) {
       const std::string block = between(page, "Reproduce:\n\n", "</details>");
       return block.substr(block.find('\n') + 1, block.rfind("\n`") - block.find('\n') - 1);
     }},
    {"sarif", of_sarif},
    {"text", [](const std::string& page) { return between(page, "reproduce\n", "\n"); }},
};

TEST(Reproduce, RunsAsEveryFormatShowsIt) {
  ASSERT_EQ(executed(command()), message() + "\n");
  for (const auto& [name, copy] : kCopies) {
    const std::string shown = copy(find_format(name)->render(with_command(command())));
    EXPECT_EQ(executed(shown), message() + "\n") << name << " shows: " << shown;
  }
}

TEST(Reproduce, IsInEveryFormatThatShowsEvidence) {
  for (const Format& format : formats()) {
    const bool shows_evidence =
        format.render(with_command("")).find("protocolVersion") != std::string::npos;
    EXPECT_EQ(shows_evidence, kCopies.contains(format.name)) << format.name;
  }
}

// Half a command, or one with <U+202E> in it, does something else than what was meant.
TEST(Reproduce, IsLeftOutWhereItCannotBeShownWhole) {
  for (const std::string& bad :
       {"echo assay" + std::string(30'000, 'x'), std::string("echo assay\xE2\x80\xAE"),
        std::string("echo assay\nid")}) {
    for (const Format& format : formats()) {
      if (format.name == "json") continue;
      EXPECT_THAT(format.render(with_command(bad)), Not(HasSubstr("echo assay"))) << format.name;
    }
  }
}

TEST(ShellWord, IsOneWordOfAShell) {
  for (const std::string& word :
       {std::string("plain"), std::string(""), std::string("it's  $HOME `x` \"y\" \\ !"),
        std::string("line\nline\ttab %d \\n"), std::string("\x1b[31m\x7f"),
        std::string("\xE2\x80\xAE"), std::string("\xFF\xFE ä")}) {
    const std::string quoted = shell_word(word);
    EXPECT_EQ(printable_line(quoted), quoted);
    EXPECT_EQ(executed("printf '[%s]' " + quoted), "[" + word + "]") << quoted;
  }
}

}  // namespace
}  // namespace assay::reports
