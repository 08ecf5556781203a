// The official JSON-Schema-Test-Suite (github.com/json-schema-org/JSON-Schema-Test-Suite), read
// from the folder that ASSAY_JSON_SCHEMA_TESTS names. Without it the tests are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/model/schema_check.h"
#include "reference/model/uri_reference.h"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

// What the suite's own server would serve, at the address that its tests know it by.
constexpr const char* kServed = "http://localhost:1234/";

struct Draft {
  const char* folder;
  const char* dialect;  // the suite's schemas of older drafts do not always name theirs
  const char* definitions;
};

// Tests that get no verdict, or whose word is not ours: a part of "file: group: test", and why.
constexpr std::pair<const char*, const char*> kLeftOut[] = {
    {"validate definition against metaschema", "a $ref to the meta-schema, which we do not have"},
    {"remote ref, containing refs itself", "a $ref to the meta-schema, which we do not have"},
    {"vocabulary.json:", "a dialect of the suite's own"},
    {"format-assertion.json:", "a dialect of the suite's own"},
    {"pattern with Unicode property escape", "properties of characters beyond ASCII"},
    {"patterns always use unicode semantics", "properties of characters beyond ASCII"},
    {"with non-ASCII digits", "properties of characters beyond ASCII"},
    {"float comparison with high precision", "numbers with more digits than a double has"},
    {"minimum integer comparison", "numbers with more digits than a double has"},
    {"dependencies-compatibility.json:", "\"dependencies\" where it is no keyword any more"},
};
// Checking contents is optional; for us they are annotations.
constexpr const char* kContents = "draft7/content.json:";

struct Count {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::map<std::string, std::size_t> left_out = {};  // by reason
};

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A served document under the name of its address, also where it has another name of its own.
Json named(Json document, const std::string& address) {
  if (!document.is_object()) return document;
  const bool has_name = document.contains("$id");
  if (!has_name && !document.contains("$ref")) {
    document["$id"] = address;
    return document;
  }
  if (has_name && resolve_reference(address, document["$id"].get<std::string>()) == address) {
    return document;
  }
  return {{"$id", address}, {"allOf", Json::array({document})}};
}

class Suite {
 public:
  Suite(fs::path root, const Draft& draft) : root_(std::move(root)), draft_(draft) {
    const fs::path remotes = root_ / "remotes";
    for (const auto& entry : fs::recursive_directory_iterator(remotes)) {
      if (entry.path().extension() != ".json") continue;
      const std::string name = fs::relative(entry.path(), remotes).generic_string();
      served_.emplace_back(name, read_json(entry.path()));
    }
  }

  Count run() {
    for (const fs::path& file : json_files(root_ / "tests" / draft_.folder)) run_file(file);
    for (const fs::path& file : json_files(root_ / "tests" / draft_.folder / "optional")) {
      run_file(file);
    }
    return count_;
  }

 private:
  void run_file(const fs::path& file) {
    for (const Json& group : read_json(file)) {
      const Json schema = complete(group["schema"]);
      for (const Json& test : group["tests"]) {
        const std::string name = std::string(draft_.folder) + "/" + file.filename().string() +
                                 ": " + group["description"].get<std::string>() + ": " +
                                 test["description"].get<std::string>();
        judge(name, schema, test["data"], test["valid"].get<bool>());
      }
    }
  }

  // With its dialect, and with the documents that it would have to fetch.
  Json complete(Json schema) const {
    if (!schema.is_object()) return schema;
    if (!schema.contains("$schema")) schema["$schema"] = draft_.dialect;
    const std::string text = schema.dump();
    if (text.find(kServed) == std::string::npos) return schema;
    for (const auto& [name, document] : served_) {
      const std::string address = kServed + name;
      const bool is_of_other_draft = (name.starts_with("draft") || name.starts_with("v1/")) &&
                                     !name.starts_with(std::string(draft_.folder) + "/");
      if (is_of_other_draft && text.find(address) == std::string::npos) continue;
      schema[draft_.definitions][address] = named(document, address);
    }
    return schema;
  }

  void judge(const std::string& name, const Json& schema, const Json& value, bool is_valid) {
    const SchemaVerdict verdict = check_against_schema(schema, value);
    if (verdict.outcome == SchemaOutcome::kInconclusive) return leave_out(name, verdict.reason);
    const bool is_right = (verdict.outcome == SchemaOutcome::kValid) == is_valid;
    if (!is_right && name.starts_with(kContents)) {
      ++count_.left_out["contents, which are annotations"];
      return;
    }
    ++(is_right ? count_.right : count_.wrong);
    EXPECT_TRUE(is_right) << name << "\n" << schema << "\n" << value;
  }

  void leave_out(const std::string& name, const std::string& reason) {
    for (const auto& [part, why] : kLeftOut) {
      if (name.find(part) == std::string::npos) continue;
      ++count_.left_out[why];
      return;
    }
    ADD_FAILURE() << name << " has no verdict: " << reason;
  }

  const fs::path root_;
  const Draft& draft_;
  std::vector<std::pair<std::string, Json>> served_;
  Count count_;
};

void run(const Draft& draft) {
  const char* folder = std::getenv("ASSAY_JSON_SCHEMA_TESTS");
  if (folder == nullptr || !fs::exists(fs::path(folder) / "tests" / draft.folder)) {
    GTEST_SKIP() << "ASSAY_JSON_SCHEMA_TESTS names no folder with the JSON-Schema-Test-Suite";
  }
  const Count count = Suite(folder, draft).run();
  std::cout << draft.folder << ": " << count.right << " right, " << count.wrong << " wrong\n";
  for (const auto& [reason, tests] : count.left_out) {
    std::cout << "  " << tests << " left out: " << reason << "\n";
  }
  EXPECT_GT(count.right, 900u);
}

TEST(SchemaSuite, OfDraft2020_12) {
  run({"draft2020-12", "https://json-schema.org/draft/2020-12/schema", "$defs"});
}

TEST(SchemaSuite, OfDraft2019_09) {
  run({"draft2019-09", "https://json-schema.org/draft/2019-09/schema", "$defs"});
}

TEST(SchemaSuite, OfDraft7) {
  run({"draft7", "http://json-schema.org/draft-07/schema#", "definitions"});
}

TEST(SchemaSuite, OfDraft6) {
  run({"draft6", "http://json-schema.org/draft-06/schema#", "definitions"});
}

}  // namespace
}  // namespace assay::model
