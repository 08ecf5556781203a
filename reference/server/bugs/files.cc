// Bugs of servers that serve a folder: paths that lead out of it. The folder is the one that
// MCP_ASSAY_SANDBOX names.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "reference/server/bugs/bug.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

namespace fs = std::filesystem;
using wire::Decoded;
using wire::Message;
using wire::MessageKind;

constexpr std::string_view kFileScheme = "file://";

void offer_documents(BugState&, Departure& departure, int) {
  if (!departure.is_result_of("tools/list")) return;
  departure.result()["tools"].push_back({{"name", "read_document"},
                                         {"annotations", {{"readOnlyHint", true}}},
                                         {"inputSchema",
                                          {{"type", "object"},
                                           {"properties", {{"path", {{"type", "string"}}}}},
                                           {"required", {"path"}}}}});
}

std::string without_percent_signs(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string digits = text.substr(i + 1, 2);
    const bool is_escape = text[i] == '%' && digits.size() == 2 &&
                           digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!is_escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    i += 2;
  }
  return out;
}

// The file that a path means, or nothing if that is refused.
using Resolve = std::optional<fs::path> (*)(const fs::path& root, const std::string& path);

bool is_below(const fs::path& root, const fs::path& path) {
  const fs::path relative = path.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

// As it should be.
std::optional<fs::path> only_inside(const fs::path& root, const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(root / path, error);
  if (error || !is_below(fs::weakly_canonical(root), whole)) return std::nullopt;
  return whole;
}

std::optional<fs::path> wherever_it_leads(const fs::path& root, const std::string& path) {
  if (path.starts_with('/')) return std::nullopt;
  return root / path;
}

std::optional<fs::path> absolute_too(const fs::path& root, const std::string& path) {
  if (path.find("..") != std::string::npos) return std::nullopt;
  return root / path;
}

std::optional<fs::path> decoded_too_late(const fs::path& root, const std::string& path) {
  if (path.starts_with('/') || path.find("..") != std::string::npos) return std::nullopt;
  const fs::path whole = (root / without_percent_signs(path)).lexically_normal();
  // Links are looked at, so that only the way in is open.
  return fs::is_symlink(whole) ? std::nullopt : std::optional(whole);
}

std::optional<fs::path> by_its_beginning(const fs::path& root, const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(root / path, error);
  const bool begins_like_it = whole.string().starts_with(fs::weakly_canonical(root).string());
  return !error && begins_like_it ? std::optional(whole) : std::nullopt;
}

std::optional<fs::path> through_links(const fs::path& root, const std::string& path) {
  const fs::path whole = (root / path).lexically_normal();
  return is_below(root, whole) ? std::optional(whole) : std::nullopt;
}

std::optional<std::string> read_if_file(const std::optional<fs::path>& path) {
  std::error_code error;
  if (!path || !fs::is_regular_file(*path, error)) return std::nullopt;
  std::stringstream text;
  text << std::ifstream(*path).rdbuf();
  return text.str();
}

std::string member_of(const Json& object, const char* name) {
  const Json value = object.is_object() ? object.value(name, Json()) : Json();
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Reads what the tool or, where it is so, a file URI asks for.
template <Resolve for_tools, Resolve for_resources>
bool serve_documents(BugState&, const Decoded& arrived, transport::Sink& sink) {
  const auto* message = std::get_if<Message>(&arrived);
  const char* folder = std::getenv("MCP_ASSAY_SANDBOX");
  if (message == nullptr || message->kind() != MessageKind::kRequest || !message->has_params()) {
    return false;
  }
  const fs::path root = folder == nullptr ? "/nonexistent" : folder;
  const Json& params = message->params();
  const auto send = [&](const Json& result) {
    sink.send({transport::Outgoing::Kind::kResponse, wire::encode_result(*message->id(), result)});
    return true;
  };
  if (message->method() == "tools/call" && member_of(params, "name") == "read_document") {
    const Json arguments = params.value("arguments", Json());
    const auto text = read_if_file(for_tools(root, member_of(arguments, "path")));
    return send({{"content", {{{"type", "text"}, {"text", text.value_or("no such document")}}}},
                 {"isError", !text.has_value()}});
  }
  const std::string uri = member_of(params, "uri");
  if (message->method() == "resources/read" && uri.starts_with(kFileScheme)) {
    const auto text = read_if_file(for_resources(root, uri.substr(kFileScheme.size())));
    if (!text) return false;
    return send({{"contents", {{{"uri", uri}, {"text", *text}}}}});
  }
  return false;
}

}  // namespace

std::vector<Bug> file_bugs() {
  struct Row {
    std::string_view id;
    std::string_view description;
    decltype(Bug::arrival) serve;
  };
  static constexpr Row kRows[] = {
      {"reads-upwards", "Reads a file that '../' leads to, outside of the folder it serves",
       serve_documents<wherever_it_leads, only_inside>},
      {"reads-absolute", "Reads any file whose absolute path it is given",
       serve_documents<absolute_too, only_inside>},
      {"reads-encoded", "Looks for '..' in a path before it decodes '%2e'",
       serve_documents<decoded_too_late, only_inside>},
      {"reads-beside", "Takes a folder whose name begins alike for the one that it serves",
       serve_documents<by_its_beginning, only_inside>},
      {"reads-links", "Follows symbolic links out of the folder it serves",
       serve_documents<through_links, only_inside>},
      {"reads-file-uri", "Serves the file of any file URI",
       serve_documents<only_inside, absolute_too>},
  };
  std::vector<Bug> bugs;
  for (const Row& row : kRows) {
    Bug bug;
    bug.id = row.id;
    bug.description = row.description;
    bug.shows_as = "path-traversal";
    bug.arrival = row.serve;
    bug.departure = offer_documents;
    bugs.push_back(std::move(bug));
  }
  return bugs;
}

}  // namespace assay::server
