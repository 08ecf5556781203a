#include "fuzz/live/target/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fuzz/live/target/text.h"
#include "reference/transport/random_id.h"
#include "reference/wire/base64.h"
#include "reference/wire/json.h"

namespace assay::fuzz {
namespace {

constexpr const char* kInside = "assay-inside.txt";
constexpr const char* kOutside = "assay-outside.txt";
constexpr std::size_t kCommonBytes = 24;
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;

// A new file; otherwise what is wrong.
std::optional<std::string> write_file(int folder, const char* name, const std::string& text) {
  const transport::UniqueFd file(
      ::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return fmt::format("{}: {}", name, std::strerror(errno));
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return std::nullopt;
  ::unlinkat(folder, name, 0);
  return fmt::format("{}: it cannot be written", name);
}

bool holds(int folder, const char* name, const std::string& text) {
  const transport::UniqueFd file(
      ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string found(text.size() + 1, '\0');
  const ssize_t count = file.is_open() ? ::read(file.get(), found.data(), found.size()) : -1;
  return count == static_cast<ssize_t>(text.size()) && found.starts_with(text);
}

bool leads_to(int folder, const char* name, const std::string& to) {
  std::string found(to.size() + 1, '\0');
  const ssize_t count = ::readlinkat(folder, name, found.data(), found.size());
  return count == static_cast<ssize_t>(to.size()) && found.starts_with(to);
}

// As a path in a URI: everything but what may stand there as it is.
std::string percent_encoded(std::string_view path) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// As it stands inside of a JSON string.
std::string in_json(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

// How `text` looks in base64 behind so many bytes of something else: what of it neither depends on
// those nor on what follows.
std::string inside_base64(const std::string& text, std::size_t before) {
  const std::string bytes = std::string(before, ' ') + text;
  const std::string encoded = wire::encode_base64(bytes.substr(0, bytes.size() / 3 * 3));
  return encoded.substr(before == 0 ? 0 : before + 1);
}

// As it is; and in base64, which has three ways to write it.
std::array<std::string, Sandbox::kGuises> guises_of(const std::string& text) {
  return {text, inside_base64(text, 0), inside_base64(text, 1), inside_base64(text, 2)};
}

}  // namespace

bool is_plain_variable(std::string_view assignment) {
  constexpr std::string_view kScheme = "file://";
  std::string_view value = assignment.substr(std::min(assignment.find('='), assignment.size()));
  if (!value.empty()) value.remove_prefix(1);
  if (value.starts_with(kScheme)) value.remove_prefix(kScheme.size());
  if (!value.starts_with(kSandboxPlace)) return false;
  value.remove_prefix(kSandboxPlace.size());
  return value.empty() || (value.front() == '/' && percent_encoded(value) == value);
}

Sandbox::Sandbox(std::string directory)
    : directory_(std::move(directory)),
      common_(("assay" + transport::random_id()).substr(0, kCommonBytes)),
      common_guises_(guises_of(common_)) {
  for (std::string& word : words_) word = common_ + transport::random_id();
}

std::variant<std::unique_ptr<Sandbox>, std::string> Sandbox::make(const std::string& directory) {
  const bool is_new = ::mkdir(directory.c_str(), kFolderMode) == 0;
  if (!is_new && errno != EEXIST) {
    return fmt::format("cannot make the directory '{}': {}", directory, std::strerror(errno));
  }
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(directory.c_str(), nullptr),
                                                    std::free);
  std::unique_ptr<Sandbox> made(new Sandbox(real ? real.get() : directory));
  made->was_made_[kTop] = is_new;
  auto trouble = made->make_folders();
  if (!trouble) trouble = made->make_files();
  if (trouble) return fmt::format("cannot make a sandbox in '{}': {}", directory, *trouble);
  return made;
}

std::optional<std::string> Sandbox::make_folders() {
  struct Place {
    Folder above;
    const char* name;
  };
  static constexpr Place kPlaces[kCount] = {{kTop, ""},
                                            {kTop, "served"},
                                            {kServed, "assay-folder"},
                                            {kTop, "served-beside"},
                                            {kTop, "assay-linked"}};
  constexpr int kHow = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  folders_[kTop].reset(::open(directory_.c_str(), kHow));
  if (!folders_[kTop].is_open()) return std::string(std::strerror(errno));
  for (std::size_t i = kServed; i < kCount; ++i) {
    const int above = fd(kPlaces[i].above);
    was_made_[i] = ::mkdirat(above, kPlaces[i].name, kFolderMode) == 0;
    // A server that runs already was told to serve it.
    const bool may_be_there = i == kServed && errno == EEXIST;
    if (was_made_[i] || may_be_there) folders_[i].reset(::openat(above, kPlaces[i].name, kHow));
    if (!was_made_[i] && i != kServed && errno == EEXIST) {
      return fmt::format("{} is there already; if a run was killed, remove what it left",
                         kPlaces[i].name);
    }
    if (!folders_[i].is_open()) {
      return fmt::format("{}: {}", kPlaces[i].name, std::strerror(errno));
    }
  }
  return std::nullopt;
}

std::optional<std::string> Sandbox::make_files() {
  const std::string plain = "This may be read.\n";
  for (Entry& entry : std::vector<Entry>{{kServed, kInside, plain},
                                         {kServedFolder, kInside, plain},
                                         {kTop, kOutside, words_[0] + "\n"},
                                         {kBesideFolder, kOutside, words_[1] + "\n"},
                                         {kLinkedFolder, kOutside, words_[2] + "\n"}}) {
    if (auto trouble = write_file(fd(entry.folder), entry.name, entry.text)) return trouble;
    files_.push_back(std::move(entry));
  }
  const std::pair<const char*, const char*> links[] = {
      {"assay-link", "../assay-linked"}, {"assay-link.txt", "../assay-linked/assay-outside.txt"}};
  for (const auto& [name, to] : links) {
    if (::symlinkat(to, fd(kServed), name) != 0) {
      return fmt::format("{}: {}", name, std::strerror(errno));
    }
    files_.push_back({kServed, name, "", to});
  }
  return std::nullopt;
}

Sandbox::~Sandbox() {
  for (auto entry = files_.rbegin(); entry != files_.rend(); ++entry) {
    ::unlinkat(fd(entry->folder), entry->name, 0);
  }
  // Those that hold something else stay.
  if (was_made_[kServedFolder]) ::unlinkat(fd(kServed), "assay-folder", AT_REMOVEDIR);
  if (was_made_[kServed]) ::unlinkat(fd(kTop), "served", AT_REMOVEDIR);
  if (was_made_[kBesideFolder]) ::unlinkat(fd(kTop), "served-beside", AT_REMOVEDIR);
  if (was_made_[kLinkedFolder]) ::unlinkat(fd(kTop), "assay-linked", AT_REMOVEDIR);
  if (was_made_[kTop]) ::rmdir(directory_.c_str());
}

std::string Sandbox::served() const {
  return directory_ + "/served";
}

std::string Sandbox::served_uri() const {
  return "file://" + percent_encoded(served());
}

std::string Sandbox::path_of(Canary canary) const {
  static constexpr std::string_view kFolders[] = {"", "/served-beside", "/assay-linked"};
  return fmt::format("{}{}/{}", directory_, kFolders[static_cast<std::size_t>(canary)], kOutside);
}

void Sandbox::restore() const {
  for (const Entry& entry : files_) {
    const int folder = fd(entry.folder);
    const bool is_link = !entry.link.empty();
    const bool is_as_made =
        is_link ? leads_to(folder, entry.name, entry.link) : holds(folder, entry.name, entry.text);
    if (is_as_made) continue;
    ::unlinkat(folder, entry.name, 0);
    // What cannot be written any more is found by nobody, and accuses nobody.
    if (is_link) {
      (void)::symlinkat(entry.link.c_str(), folder, entry.name);
    } else {
      (void)write_file(folder, entry.name, entry.text);
    }
  }
}

void Sandbox::renew() {
  for (std::string& word : words_) {
    const auto entry = std::find_if(files_.begin(), files_.end(),
                                    [&](const Entry& each) { return each.text == word + "\n"; });
    word = common_ + transport::random_id();
    if (entry != files_.end()) entry->text = word + "\n";
  }
  restore();
}

std::optional<Sandbox::Canary> Sandbox::canary_in(std::string_view text) const {
  for (std::size_t guise = 0; guise < kGuises; ++guise) {
    if (text.find(common_guises_[guise]) == std::string_view::npos) continue;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool is_there = text.find(guises_of(words_[i])[guise]) != std::string_view::npos;
      if (is_there) return static_cast<Canary>(i);
    }
  }
  return std::nullopt;
}

std::string Sandbox::told(std::string text) const {
  if (text.find("@SANDBOX") == std::string::npos) return text;
  replace_each(text, kSandboxPath, in_json(directory_));
  replace_each(text, kSandboxUriPath, percent_encoded(directory_));
  return text;
}

}  // namespace assay::fuzz
