// A scratch directory for `fuzz --sandbox`: a folder that the server is told to serve, and canaries
// outside of it, files whose content nobody can guess.
//
//   DIR/served/                    what the server is told to serve
//       served/assay-inside.txt    that may be read, and assay-folder/assay-inside.txt
//       served/assay-link.txt      symbolic links to the canary in assay-linked
//       served/assay-link
//   DIR/assay-outside.txt          canaries
//   DIR/served-beside/assay-outside.txt
//   DIR/assay-linked/assay-outside.txt
//
// Nothing but these is written or removed, each by a descriptor of the directory it is in, so that
// no link that somebody puts in its place leads elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/transport/unique_fd.h"

namespace assay::fuzz {

// What stands in the target's command, or in the value of an --env, for the folder that it is to
// serve; and a variable in its environment that holds it.
inline constexpr std::string_view kSandboxPlace = "{sandbox}";
inline constexpr const char* kSandboxVariable = "MCP_ASSAY_SANDBOX";

// What stands in a message for DIR, so that a finding can be shown in another one: as a path, and
// as a part of a URI.
inline constexpr std::string_view kSandboxPath = "@SANDBOX@";
inline constexpr std::string_view kSandboxUriPath = "@SANDBOX-URI@";

// Of an --env, "ROOT={sandbox}": whether its value is a path in what is served, or the URI of one,
// and nothing else. Any other may hold a key.
bool is_plain_variable(std::string_view assignment);

// Used by one thread.
class Sandbox {
 public:
  enum class Canary : std::uint8_t {
    kOutside,  // in the directory above what is served
    kBeside,   // in a directory whose name begins like that of what is served
    kLinked,   // where links in what is served lead
  };

  static constexpr std::size_t kGuises = 4;  // of what is in a canary

  // Makes DIR, unless it is there, and everything in it. Otherwise: why that cannot be, in one
  // sentence; nothing is left behind then.
  static std::variant<std::unique_ptr<Sandbox>, std::string> make(const std::string& directory);
  // Removes what make() made. What others wrote stays.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Absolute, without links.
  const std::string& directory() const { return directory_; }
  std::string served() const;
  // "file:///tmp/x/served".
  std::string served_uri() const;
  std::string path_of(Canary canary) const;

  // All that was made as it was made, whatever a tool that writes did to it.
  void restore() const;
  // The same, with other words in the canaries: a copy that somebody made of one is none any more.
  void renew();
  // The canary whose content stands in `text`, as it is or in base64, with whatever around it.
  std::optional<Canary> canary_in(std::string_view text) const;
  // `text` with DIR in place of what stands for it.
  std::string told(std::string text) const;

 private:
  enum Folder : std::uint8_t { kTop, kServed, kServedFolder, kBesideFolder, kLinkedFolder, kCount };
  struct Entry {
    Folder folder;
    const char* name;
    std::string text;
    std::string link = {};  // of a symbolic link: where it leads
  };

  explicit Sandbox(std::string directory);
  int fd(Folder folder) const { return folders_[folder].get(); }
  std::optional<std::string> make_folders();
  std::optional<std::string> make_files();

  std::string directory_;
  // Random characters, with which all words begin; and how they may look.
  std::string common_;
  std::array<std::string, kGuises> common_guises_;
  std::array<std::string, 3> words_;  // by Canary
  std::array<transport::UniqueFd, kCount> folders_;
  std::array<bool, kCount> was_made_{};  // by us
  std::vector<Entry> files_;             // that we made
};

}  // namespace assay::fuzz
