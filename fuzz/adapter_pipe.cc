// A parser behind fuzz/adapter.h as a program that speaks the line protocol of `mcp-assay
// fuzz-parser`.
#include <iostream>
#include <string>

#include "fuzz/adapter_call.h"
#include "reference/wire/base64.h"

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto bytes = assay::wire::decode_base64(line);
    if (!bytes) return 1;
    const auto answer = assay::fuzz::call_adapter(*bytes);
    std::string text = answer.accepts ? "accept" : "refuse";
    if (answer.canonical) text += " " + *answer.canonical;
    for (char& c : text) {
      if (c == '\n' || c == '\r') c = ' ';  // the parser's white space, which means nothing
    }
    std::cout << text << '\n';
    // Flushed when the questions asked at once are answered.
    if (std::cin.rdbuf()->in_avail() == 0) std::cout.flush();
  }
  return 0;
}
