// Writes seeds for the fuzz targets, and the dictionary of the words of the protocol, made from the
// model and from what the reference server offers: always the same ones.
//
// usage: fuzz_seeds FOLDER     writes FOLDER/TARGET/NAME and FOLDER/messages.dict
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/compiled.h"
#include "reference/model/generate.h"
#include "reference/server/server.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace {

namespace fs = std::filesystem;
using assay::Json;
using namespace assay::model;
namespace transport = assay::transport;
namespace wire = assay::wire;

constexpr std::size_t kSize = 3;  // see generate()

class Writer {
 public:
  explicit Writer(fs::path folder) : folder_(std::move(folder)) {}

  void seed(const std::string& target, const std::string& name, const std::string& text) {
    fs::create_directories(folder_ / target);
    std::string file = "seed_" + name;
    for (char& c : file) {
      if (c == '/' || c == '$') c = '_';
    }
    std::ofstream(folder_ / target / file, std::ios::binary) << text;
  }
  void dictionary(const std::set<std::string>& words) {
    std::ofstream file(folder_ / "messages.dict", std::ios::binary);
    file << "# The words of the protocol: members, methods and constants of every revision.\n";
    for (const std::string& word : words) file << '"' << word << "\"\n";
  }

 private:
  const fs::path folder_;
};

// Every method that can be sent in this direction, with the newest revision that begins with a
// handshake and knows it; or the newest of all.
std::map<std::string, Revision> methods(Direction direction) {
  std::map<std::string, Revision> found;
  for (const Revision revision : Revision::all()) {
    for (const auto& [method, compiled] : Compiled::of(revision).methods(direction)) {
      if (revision.has_handshake() || !found.contains(method)) {
        found.insert_or_assign(method, revision);
      }
    }
  }
  return found;
}

// Keeps the results of a server.
class Results : public transport::Sink {
 public:
  void send(transport::Outgoing message) override {
    const std::lock_guard lock(mutex_);
    last_ = Json::parse(message.bytes, nullptr, false).value("result", Json::object());
  }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}
  Json last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;  // guards last_
  Json last_ = Json::object();
};

// Requests that the reference server has something to say to.
class Offered {
 public:
  Offered() {
    ask("initialize", {{"protocolVersion", Revision::v2025_11_25.text()},
                       {"capabilities", Json::object()},
                       {"clientInfo", {{"name", "seeds"}, {"version", "1"}}}});
    for (const Json& tool : list("tools/list", "tools")) {
      schemas_.push_back(tool["inputSchema"]);
      add("tools/call", {{"name", tool["name"]}, {"arguments", Json::object()}});
    }
    for (const Json& prompt : list("prompts/list", "prompts")) {
      add("prompts/get", {{"name", prompt["name"]}, {"arguments", Json::object()}});
    }
    for (const Json& resource : list("resources/list", "resources")) {
      add("resources/read", {{"uri", resource["uri"]}});
      add("resources/subscribe", {{"uri", resource["uri"]}});
    }
  }
  const std::vector<Json>& requests() const { return requests_; }
  const std::vector<Json>& schemas() const { return schemas_; }

 private:
  void ask(const std::string& method, Json params) {
    const Json request = wire::make_request(wire::Id::of(1), method, std::move(params));
    session_->receive(wire::decode(wire::encode(request)), results_);
  }
  Json list(const std::string& method, const std::string& key) {
    ask(method, Json::object());
    return results_->last().value(key, Json::array());
  }
  void add(const std::string& method, Json params) {
    const auto id = wire::Id::of(static_cast<std::int64_t>(requests_.size()));
    requests_.push_back(wire::make_request(id, method, std::move(params)));
  }

  assay::server::Server server_;
  const std::shared_ptr<Results> results_ = std::make_shared<Results>();
  const std::shared_ptr<transport::ServerSession> session_ =
      server_.open(transport::WireKind::kStdio, results_);
  std::vector<Json> requests_;
  std::vector<Json> schemas_;
};

void write_messages(Writer& writer, Random& random) {
  for (const auto& [method, revision] : methods(Direction::kClientToServer)) {
    const auto message =
        generate_message(revision, Direction::kClientToServer, method, random, kSize);
    const std::string text = wire::encode(*message);
    writer.seed("decode", method, text);
    // The first byte: a session in 2025-11-25 that has begun, and one that has not.
    writer.seed("server_session", method, "\x03" + text + "\n");
    writer.seed("server_session", "bare_" + method, "\x83" + text + "\n" + text);
    const auto answer =
        generate_response(revision, Direction::kClientToServer, method, random, kSize);
    if (!answer) continue;
    Json response = *answer;
    response["id"] = "@ID@";
    writer.seed("client_session", "bare_" + method, "\x83" + wire::encode(response) + "\n");
    writer.seed("client_session", method, "\x03" + wire::encode(response) + "\n");
  }
  for (const auto& [method, revision] : methods(Direction::kServerToClient)) {
    const auto message =
        generate_message(revision, Direction::kServerToClient, method, random, kSize);
    writer.seed("client_session", "asks_" + method, "\x03" + wire::encode(*message) + "\n");
    const auto answer =
        generate_response(revision, Direction::kServerToClient, method, random, kSize);
    if (answer) writer.seed("server_session", "answers_" + method, "\x03" + wire::encode(*answer));
  }
}

void write_requests(Writer& writer, const Offered& offered) {
  std::size_t number = 0;
  for (const Json& request : offered.requests()) {
    const std::string text = wire::encode(request);
    writer.seed("server_session", "request_" + std::to_string(number++), "\x43" + text + "\n");
  }
  const std::string first = wire::encode(offered.requests().front());
  const std::string cancelled =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}})";
  writer.seed("server_session", "batch", "\x01[" + first + "," + cancelled + "]\n");
  const std::string slow =
      R"({"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"test_slow"}})";
  writer.seed("server_session", "cancelled",
              "\x03" + slow + "\n" + R"({"jsonrpc":"2.0","method":)" +
                  R"("notifications/cancelled","params":)" + R"({"requestId":9}})" + "\n");
}

void write_values(Writer& writer, Random& random) {
  // The first byte names the revision, the second the type: both by their position.
  const auto revisions = Revision::all();
  for (std::size_t i = 0; i < revisions.size(); ++i) {
    const std::vector<std::string> types = known_types(revisions[i]);
    for (std::size_t j = 0; j < types.size() && j < 255; ++j) {
      std::string text = {static_cast<char>(i), static_cast<char>(j)};
      text += wire::encode(generate(revisions[i], types[j], random, 2));
      writer.seed("model_validate", std::string(revisions[i].text()) + "_" + types[j], text);
    }
  }
}

void write_schemas(Writer& writer, const Offered& offered) {
  static const char* const kPairs[] = {
      R"({"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"]})"
      "\n"
      R"({"a":0})",
      R"({"$ref":"#/$defs/x","$defs":{"x":{"anyOf":[{"const":1},{"enum":["a",null]}]}}})"
      "\n1",
      R"({"type":["array","null"],"items":{"oneOf":[{"type":"string","pattern":"^a+$"},)"
      R"({"type":"number","multipleOf":0.5}]},"uniqueItems":true,"minItems":1,"maxItems":3})"
      "\n"
      R"(["aa",1.5])",
      R"({"if":{"required":["k"]},"then":{"maxProperties":1},"else":false,)"
      R"("patternProperties":{"^k":{"minLength":2,"maxLength":4}},"additionalProperties":false})"
      "\n"
      R"({"k":"abc"})",
      R"({"not":{"allOf":[true,{"exclusiveMinimum":0,"exclusiveMaximum":9}]},)"
      R"("dependentRequired":{"a":["b"]},"propertyNames":{"maxLength":3}})"
      "\n5",
      R"({"$id":"http://a/b","$ref":"c#d","unevaluatedProperties":false,"$defs":{"c":{"$id":"c",)"
      R"("$defs":{"d":{"$anchor":"d","dependentSchemas":{"x":{"properties":{"y":true}}}}}}}})"
      "\n"
      R"({"x":1,"y":2})",
      R"({"$dynamicAnchor":"n","prefixItems":[{"$dynamicRef":"#n"}],"contains":{"const":1},)"
      R"("minContains":0,"unevaluatedItems":{"pattern":"^(?=a)[^b]{2,}|\\bc$"}})"
      "\n"
      R"([[1],1,"ab"])",
      R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,)"
      R"("items":[{"$recursiveRef":"#"}],"additionalItems":{"multipleOf":0.01}})"
      "\n"
      R"([[],0.07])"};
  std::size_t number = 0;
  for (const char* pair : kPairs) {
    writer.seed("schema_check", "keywords_" + std::to_string(number++), pair);
  }
  for (const Json& schema : offered.schemas()) {
    writer.seed("schema_check", "tool_" + std::to_string(number++), schema.dump() + "\n{}");
  }
}

std::string post(const std::string& body, const std::string& headers) {
  return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void write_http(Writer& writer, const Offered& offered) {
  const std::string both = "Accept: application/json, text/event-stream\r\n";
  const std::string session = both + "MCP-Session-Id: s1\r\nMCP-Protocol-Version: 2025-11-25\r\n";
  const std::string initialize = post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"f","version":"1"}}})",
      both);
  const std::string begun =
      initialize + post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session);
  const std::string get = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n";
  writer.seed("http_server", "initialize", initialize);
  writer.seed("http_server", "get", begun + get + "MCP-Session-Id: s1\r\n\r\n");
  writer.seed("http_server", "resume",
              begun + get + "MCP-Session-Id: s1\r\nLast-Event-ID: 1-1\r\n\r\n");
  writer.seed("http_server", "delete",
              begun + "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Session-Id: s1\r\n\r\n");
  writer.seed("http_server", "pair", "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
  writer.seed("http_server", "chunks",
              "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  writer.seed("http_server", "origin",
              "OPTIONS /mcp HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: http://evil.example\r\n\r\n");
  writer.seed("http_server", "hidden",
              "TRACE /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                  std::to_string(initialize.size()) + "\r\n\r\n" + initialize);
  std::size_t number = 0;
  for (const Json& request : offered.requests()) {
    if (number == 12) break;
    writer.seed("http_server", "request_" + std::to_string(number++),
                begun + post(wire::encode(request), session));
  }
}

void add_words(Revision revision, std::set<std::string>& words) {
  const Compiled& compiled = Compiled::of(revision);
  const auto add = [&words](const std::string& word) {
    if (word.find_first_of("\"\\\n") == std::string::npos && !word.empty()) words.insert(word);
  };
  for (const auto& [name, index] : compiled.definitions()) {
    const Node& node = compiled.node(index);
    for (const CompiledField& field : node.fields) add(field.name);
    for (const std::string& text : node.texts) add(text);
  }
  for (const Direction direction : {Direction::kClientToServer, Direction::kServerToClient}) {
    for (const auto& [method, compiled_method] : compiled.methods(direction)) add(method);
  }
  add(std::string(revision.text()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  Writer writer(argv[1]);
  Random random(1);
  const Offered offered;
  write_messages(writer, random);
  write_requests(writer, offered);
  write_values(writer, random);
  write_schemas(writer, offered);
  write_http(writer, offered);
  std::set<std::string> words = {"jsonrpc", "2.0", "@ID@"};
  for (const Revision revision : Revision::all()) add_words(revision, words);
  writer.dictionary(words);
  return 0;
}
