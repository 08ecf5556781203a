// Subcommands of `mcp-assay`. Each is one .cc file that registers itself.
//
//   class SchemaCommand : public Command { ... };
//   const CommandRegistration<SchemaCommand> kSchemaCommandRegistration;
//
// Only `Arguments` knows CLI11, which parses the command line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

// Exit statuses: a contract with everyone's CI.
inline constexpr int kConformant = 0;  // or: done, nothing wrong
inline constexpr int kViolations = 1;  // the subject failed
inline constexpr int kUsage = 2;       // the command line, or a file it names, is wrong
inline constexpr int kNotTested = 3;   // the target could not be tested
inline constexpr int kInterrupted = 130;

// What `Arguments::seconds` takes.
inline constexpr double kShortestSeconds = 0.001;
inline constexpr double kLongestSeconds = 1e6;

// Where a subcommand says what it takes. `names` is as users write it: "--revision", "-q,--quiet".
// A variable is set only when the option is given, and must outlive the parse; its value beforehand
// is the default.
class Arguments {
 public:
  virtual ~Arguments() = default;
  // The heading of the options that follow, in the help; none for those before the first.
  virtual void group(const std::string& title) = 0;
  virtual void flag(const std::string& names, bool& value, const std::string& help) = 0;
  virtual void text(const std::string& names, std::string& value, const std::string& placeholder,
                    const std::string& help) = 0;
  // Repeatable.
  virtual void texts(const std::string& names, std::vector<std::string>& values,
                     const std::string& placeholder, const std::string& help) = 0;
  // A whole number in [minimum, maximum]; anything else is a usage error that says so.
  virtual void number(const std::string& names, std::int64_t& value, std::int64_t minimum,
                      std::int64_t maximum, const std::string& placeholder,
                      const std::string& help) = 0;
  virtual void seconds(const std::string& names, double& value, const std::string& help) = 0;
  virtual void choice(const std::string& names, std::string& value,
                      const std::vector<std::string>& choices, const std::string& help) = 0;
  // A positional argument; at most one of each name.
  virtual void positional(const std::string& name, std::string& value, bool is_required,
                          const std::string& help) = 0;
  // One that has to be given, and is one of `choices`.
  virtual void positional_choice(const std::string& name, std::string& value,
                                 const std::vector<std::string>& choices,
                                 const std::string& help) = 0;
  virtual void positionals(const std::string& name, std::vector<std::string>& values,
                           bool is_required, const std::string& help) = 0;
  // Everything after "--", untouched: the command under test.
  virtual void command_line(std::vector<std::string>& words, const std::string& help) = 0;
  // Printed after the options as it is: examples, formats, exit statuses. At most 100 columns.
  virtual void footer(const std::string& text) = 0;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;     // "schema"
  virtual std::string_view summary() const = 0;  // one line for `mcp-assay --help`
  virtual void declare(Arguments& arguments) = 0;
  // Words that a file of the user's adds to those that the user gave before "--". Throws
  // UsageError.
  virtual std::vector<std::string> further_words(const std::vector<std::string>& /*given*/,
                                                 bool /*has_command*/) {
    return {};
  }
  // Runs after a successful parse. Results go to standard output, diagnostics to standard error.
  // Returns the exit status. Throws UsageError for what the parser cannot know.
  virtual int run() = 0;
};

// A mistake of the user's that ends the program with kUsage and one line on standard error.
class UsageError {
 public:
  explicit UsageError(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using CommandFactory = std::unique_ptr<Command> (*)();
// Called before main() by CommandRegistration; a duplicate name is a broken invariant.
void register_command(CommandFactory factory);

template <typename T>
struct CommandRegistration {
  CommandRegistration() {
    register_command([]() -> std::unique_ptr<Command> { return std::make_unique<T>(); });
  }
};

// One of each that registered itself, by name.
std::vector<std::unique_ptr<Command>> make_commands();

// Parses and runs. `arguments` excludes the program's own name. Never throws what a user caused.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace assay::cli
