#include "bench/load/request_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "reference/model/extension.h"
#include "reference/transport/header_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/http.h"

namespace assay::bench {
namespace {

constexpr std::string_view kMetaPrefix = "io.modelcontextprotocol/";

Json client_info() {
  return {{"name", "mcp-assay-bench"}, {"version", ASSAY_VERSION}};
}

// Nothing, but the extension that the method is of: only a client that declares it may use it.
Json capabilities_for(const std::string& method, model::Revision revision) {
  for (const model::Extension* extension : model::members_of(model::extensions_of(revision))) {
    const auto& methods = extension->methods;
    const bool has_it = std::any_of(methods.begin(), methods.end(),
                                    [&](const model::Method& each) { return each.name == method; });
    if (has_it && extension->is_declared_by_clients) return extension->capability();
  }
  return Json::object();
}

Json params_of(const MixEntry& entry, model::Revision revision) {
  Json params = entry.params;
  if (revision.has_sessions()) return params;
  if (params.is_null()) params = Json::object();
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta = Json::object();
  const auto set = [&meta](std::string_view key, Json value) {
    meta.emplace(std::string(kMetaPrefix) + std::string(key), std::move(value));
  };
  set("protocolVersion", revision.text());
  set("clientInfo", client_info());
  set("clientCapabilities", capabilities_for(entry.method, revision));
  return params;
}

// What names the thing that is asked for, as a header may hold it (streamable-http, "Standard
// Headers").
std::string name_header(const MixEntry& entry, model::Revision revision) {
  if (!entry.params.is_object()) return "";
  const model::Protocol all{revision, model::extensions_of(revision)};
  std::string_view key = model::name_member(all, entry.method);
  // Methods that no specification has may have a name as well.
  if (key.empty()) key = "name";
  const auto found = entry.params.find(key);
  if (found == entry.params.end() || !found->is_string()) return "";
  const auto& value = found->get_ref<const std::string&>();
  return transport::encode_header_value(value);
}

}  // namespace

RequestText::RequestText(const MixEntry& entry, model::Revision revision) {
  bytes_ = R"({"jsonrpc":"2.0","id":)";
  id_at_ = bytes_.size();
  bytes_ += fmt::format("{},\"method\":{}", kFirstId, wire::encode(Json(entry.method)));
  if (const Json params = params_of(entry, revision); !params.is_null()) {
    bytes_ += ",\"params\":" + wire::encode(params);
  }
  bytes_ += '}';
}

void RequestText::wrap(std::string_view before, std::string_view after) {
  bytes_.insert(0, before);
  bytes_ += after;
  id_at_ += before.size();
}

std::string_view RequestText::with_id(std::uint64_t id) {
  for (std::size_t digit = 10; digit-- > 0; id /= 10) {
    bytes_[id_at_ + digit] = static_cast<char>('0' + id % 10);
  }
  return bytes_;
}

std::string post_head(const HttpSetting& setting, std::string_view session, const MixEntry* entry,
                      std::size_t body_bytes) {
  std::string head;
  wire::HttpWriter writer(head);
  writer.request_line("POST", setting.url->target);
  writer.field("Host", setting.url->authority());
  writer.field("Content-Type", "application/json");
  writer.field("Accept", "application/json, text/event-stream");
  writer.content_length(body_bytes);
  if (!session.empty()) writer.field("MCP-Session-Id", session);
  const bool is_stateless = setting.revision.is_stateless();
  if (is_stateless || (entry && setting.revision.has_protocol_version_header())) {
    writer.field("MCP-Protocol-Version", setting.revision.text());
  }
  if (entry && is_stateless) {
    writer.field("Mcp-Method", entry->method);
    if (const std::string name = name_header(*entry, setting.revision); !name.empty()) {
      writer.field("Mcp-Name", name);
    }
  }
  for (const auto& [name, value] : *setting.headers) writer.field(name, value);
  [[maybe_unused]] const bool is_written = writer.end_head();
  assert(is_written);
  return head;
}

std::string initialize_text(model::Revision revision) {
  return wire::encode(wire::make_request(wire::Id::of(0), "initialize",
                                         {{"protocolVersion", revision.text()},
                                          {"capabilities", Json::object()},
                                          {"clientInfo", client_info()}}));
}

}  // namespace assay::bench
