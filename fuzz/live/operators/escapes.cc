#include "fuzz/live/operators/escapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// From the folder that is served.
constexpr std::string_view kRelative[] = {
    "../assay-outside.txt",
    "../assay-outside",  // where the server adds the rest
    "./../assay-outside.txt",
    "assay-folder/../../assay-outside.txt",
    "..//assay-outside.txt",
    "....//assay-outside.txt",  // where "../" is taken out once
    "..\\assay-outside.txt",
    "/../assay-outside.txt",
    "../served-beside/assay-outside.txt",
    "%2e%2e/assay-outside.txt",
    "..%2fassay-outside.txt",
    "%2e%2e%2fassay-outside.txt",
    "..%5cassay-outside.txt",
    "%252e%252e%252fassay-outside.txt",
    "..%c0%afassay-outside.txt",
    "assay-link/assay-outside.txt",
    "assay-link.txt",
};

constexpr std::string_view kAbsolute[] = {
    "@SANDBOX@/assay-outside.txt",
    "/@SANDBOX@/assay-outside.txt",
    "@SANDBOX@/served/../assay-outside.txt",
    "@SANDBOX@/served/assay-folder/../../assay-outside.txt",
    "@SANDBOX@/served/%2e%2e/assay-outside.txt",
    "@SANDBOX@/served/..%2fassay-outside.txt",
    "@SANDBOX@/served-beside/assay-outside.txt",
    "@SANDBOX@/served/assay-link/assay-outside.txt",
    "@SANDBOX@/served/assay-link.txt",
    "../../../../../../../../../../../../..@SANDBOX@/assay-outside.txt",
    "..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..@SANDBOX@/assay-outside.txt",
};

constexpr std::string_view kUris[] = {
    "file://@SANDBOX-URI@/assay-outside.txt",
    "file://@SANDBOX@/assay-outside.txt",  // where nothing is decoded
    "file://localhost@SANDBOX-URI@/assay-outside.txt",
    "file:@SANDBOX-URI@/assay-outside.txt",
    "FILE://@SANDBOX-URI@/assay-outside.txt",
    "file://@SANDBOX-URI@/served/../assay-outside.txt",
    "file://@SANDBOX-URI@/served/%2e%2e/assay-outside.txt",
    "file://@SANDBOX-URI@/served/..%2fassay-outside.txt",
    "file://@SANDBOX-URI@/served/%252e%252e%252fassay-outside.txt",
    "file://@SANDBOX-URI@/served-beside/assay-outside.txt",
    "file://@SANDBOX-URI@/served/assay-link/assay-outside.txt",
    "file://@SANDBOX-URI@/served/assay-link.txt",
    "file:///../assay-outside.txt",
    "file://../assay-outside.txt",
};

// In the name of an argument.
constexpr std::string_view kPathWords[] = {
    "path",  "file", "dir",  "folder", "uri",      "url",  "root", "location", "source",
    "src",   "dest", "from", "target", "doc",      "page", "name", "template", "attachment",
    "image", "log",  "note", "conf",   "resource", "key",  "id",   "entry",    "to"};

constexpr std::size_t kMostBases = 8;

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool holds_word(std::string_view text) {
  const std::string plain = lower_case(text);
  return std::any_of(std::begin(kPathWords), std::end(kPathWords), [&](std::string_view word) {
    // The short ones stand in much by chance.
    return word.size() > 2 ? plain.find(word) != std::string::npos
                           : plain == word || plain.ends_with("_" + std::string(word));
  });
}

class EscapeCases {
 public:
  explicit EscapeCases(const Vocabulary& words) : words_(words) {}

  std::vector<Case> all() {
    for (const Json& tool : words_.tools) {
      const Json schema = tool.value("inputSchema", Json::object());
      add_arguments("tools/call", text_member(tool, "name"), full_arguments(schema), schema);
    }
    if (words_.capabilities.contains("resources")) add_resources();
    for (const Json& prompt : words_.prompts) {
      add_arguments("prompts/get", text_member(prompt, "name"), prompt_arguments(prompt), Json());
    }
    return std::move(cases_);
  }

 private:
  void add(std::string_view method, Json params) {
    constexpr std::uint64_t kId = 1'000'001;
    Json message = with_request_meta(
        words_, {{"jsonrpc", "2.0"}, {"id", kId}, {"method", method}, {"params", params}});
    Case made;
    made.origin = fmt::format("path out: {}", method);
    if (params.contains("name")) made.origin += " " + shown(text_member(params, "name"), 60);
    made.ids = {kId};
    made.steps.push_back(line_step(text_of(message)));
    cases_.push_back(std::move(made));
  }

  void add_arguments(std::string_view method, const std::string& name, const Json& arguments,
                     const Json& schema) {
    std::vector<Json::json_pointer> places;
    collect(arguments, Json::json_pointer(), schema, "", places);
    for (const auto& at : places) {
      if (++places_ > kMostEscapePlaces) return;
      Json changed = arguments;
      const auto put = [&](std::string_view path) {
        changed[at] = path;
        add(method, {{"name", name}, {"arguments", changed}});
      };
      for (const std::string_view path : kRelative) put(path);
      for (const std::string_view path : kAbsolute) put(path);
      for (const std::string_view uri : kUris) put(uri);
      for (const char* path : {"../assay-outside.txt", "@SANDBOX@/assay-outside.txt"}) {
        put(std::string(path) + '\0' + ".txt");
      }
    }
  }

  // Strings that look like a path, with the schema that is for them as far as it is plain.
  static void collect(const Json& value, const Json::json_pointer& at, const Json& schema,
                      std::string_view name, std::vector<Json::json_pointer>& places) {
    constexpr std::size_t kMost = 24;
    if (places.size() >= kMost) return;
    const auto below = [&](const char* keyword) {
      return schema.is_object() ? schema.value(keyword, Json()) : Json();
    };
    if (value.is_string() && looks_like_path(name, schema)) places.push_back(at);
    if (value.is_object()) {
      const Json properties = below("properties");
      for (const auto& [key, member] : value.items()) {
        const Json own = properties.is_object() ? properties.value(key, Json()) : Json();
        collect(member, at / key, own, key, places);
      }
    } else if (value.is_array() && !value.empty()) {
      collect(value[0], at / 0, below("items"), name, places);
    }
  }

  void add_uri(std::string uri) { add("resources/read", {{"uri", std::move(uri)}}); }

  void add_resources() {
    for (const std::string_view uri : kUris) add_uri(std::string(uri));
    // What stands before the last part of an address that is listed.
    std::set<std::string> bases;
    for (const std::string& uri : words_.resources) {
      const std::size_t slash = uri.rfind('/');
      if (slash != std::string::npos && bases.size() < kMostBases) {
        bases.insert(uri.substr(0, slash + 1));
      }
    }
    for (const std::string& base : bases)
      add_paths([&](const std::string& path) { add_uri(base + path); });
    std::size_t templates = 0;
    for (const std::string& whole : words_.templates) {
      const std::size_t open = whole.find('{');
      const std::size_t close = whole.find('}', open);
      if (close == std::string::npos || ++templates > kMostBases) continue;
      const std::string rest = expanded(whole.substr(close + 1));
      add_paths([&](const std::string& path) { add_uri(whole.substr(0, open) + path + rest); });
    }
  }

  template <typename Put>
  static void add_paths(Put put) {
    for (const std::string_view path : kRelative) put(std::string(path));
    for (const std::string_view path : kAbsolute) {
      std::string in_uri(path);
      const std::size_t at = in_uri.find(kSandboxPath);
      in_uri.replace(at, kSandboxPath.size(), kSandboxUriPath);
      put(in_uri);
    }
    put("..%2fassay-outside.txt%00.txt");
  }

  const Vocabulary& words_;
  std::vector<Case> cases_;
  std::size_t places_ = 0;
};

}  // namespace

bool looks_like_path(std::string_view name, const Json& schema) {
  if (schema.is_object()) {
    if (schema.contains("enum") || schema.contains("const")) return false;
    const std::string format = text_member(schema, "format");
    if (format.starts_with("uri") || format.starts_with("iri")) return true;
    for (const char* example : {"default", "examples"}) {
      const Json value = schema.value(example, Json());
      const Json& first = value.is_array() && !value.empty() ? value[0] : value;
      if (first.is_string() && first.get_ref<const std::string&>().find('/') != std::string::npos) {
        return true;
      }
    }
    const std::string about = lower_case(text_member(schema, "description"));
    for (const char* word : {"path", "file", "folder", "director", "uri"}) {
      if (about.find(word) != std::string::npos) return true;
    }
  }
  return holds_word(name);
}

std::vector<Case> escape_cases(const Vocabulary& words) {
  return EscapeCases(words).all();
}

}  // namespace assay::fuzz
