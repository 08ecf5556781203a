// What a server's own words have shown that the arguments of its tools may be.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/survey.h"

namespace assay::harness {

class Clues {
 public:
  explicit Clues(const Survey& survey);

  // Takes note of what a result holds: paths in its texts, and what is called by a name in JSON,
  // be it structured content or a text. A file that it names is in the folder which `arguments`
  // asked for.
  void note(const Json& result, const Json& arguments = nullptr);
  // What the server suggests for an argument of that name, of a prompt or of a URI template.
  void note_suggestion(std::string_view argument, const std::string& value);

  // The arguments with what is known put in place of what was guessed. A path is that of a folder
  // unless a file is asked for and one is known.
  enum class Paths { kOfFolders, kOfFiles };
  Json improved(Json arguments, Paths paths = Paths::kOfFolders) const;

 private:
  // A better value than a guess for an argument of that name; null if there is none.
  Json value_for(std::string_view name, Paths paths) const;
  void note_paths(std::string_view text);
  void note_files(std::string_view text, std::string_view folder);
  void note_members(const Json& json, std::string_view of, int depth);
  void keep(std::string_view key, const Json& value);

  std::vector<std::string> paths_;
  std::vector<std::string> files_;
  std::string uri_;
  std::map<std::string, Json, std::less<>> values_;  // by the name, in lower case, letters only
};

// Whether one of the words is a part of the name, in any case.
bool mentions(std::string_view name, std::initializer_list<std::string_view> words);

}  // namespace assay::harness
