#include "bench/samples.h"

namespace assay::bench {

std::string ping() {
  return R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
}

std::string tools_call() {
  return R"({"jsonrpc":"2.0","id":"3f2b9c1e-77","method":"tools/call","params":{"name":"search_files",)"
         R"("arguments":{"path":"/srv/data/projects","pattern":"*.cc","recursive":true,"limit":50,)"
         R"("exclude":["build","third_party"],"query":"say \"hello\" to\nthe world"},)"
         R"("_meta":{"progressToken":17,"traceId":"00-4bf92f3577b34da6a3ce929d0e0e4736"}}})";
}

std::string result_of_1_kib() {
  std::string text;
  while (text.size() < 950) text += "A line of text that a tool gave back.\\n";
  return R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":")" + text +
         R"("}],"isError":false}})";
}

std::string list_of_1000_tools() {
  std::string tools;
  for (int i = 0; i < 1000; ++i) {
    if (i > 0) tools += ',';
    tools += R"({"name":"tool_)" + std::to_string(i) +
             R"(","description":"Does what its name says, and nothing besides.","inputSchema":)"
             R"({"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer",)"
             R"("minimum":0}},"required":["path"]},"annotations":{"readOnlyHint":true}})";
  }
  return R"({"jsonrpc":"2.0","id":8,"result":{"tools":[)" + tools + "]}}";
}

std::string resource_of_10_mb() {
  return R"({"jsonrpc":"2.0","id":9,"result":{"contents":[{"uri":"file:///x","blob":")" +
         std::string(10'000'000, 'A') + R"("}]}})";
}

}  // namespace assay::bench
