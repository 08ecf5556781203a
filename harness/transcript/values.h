// Takes the values out of what passed and leaves its shape, so that a transcript can be given to
// others.
//
// What is of the protocol stays: methods, kinds, names of tools and members, capabilities, keywords
// of schemas, numbers outside of arguments and results. Every other text becomes a label with its
// length, the same for the same text, so that one still sees what belongs together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::harness {

class ValueRemover {
 public:
  // A message or batch without its values.
  std::string without_values(const wire::Message& message);
  // What stands in place of a text that is no message.
  static std::string length_of(std::string_view text);
  // "[text 3, 12 bytes]"
  std::string label(std::string_view text);
  // A name of the protocol as it is, anything else as a label.
  std::string word(std::string_view text);
  // The value of a header field.
  std::string field(std::string_view name, std::string_view value);
  // A path and query; of a whole URL only these.
  std::string target(std::string_view text);

 private:
  // Beyond that, equal texts are no longer told from different ones.
  static constexpr std::size_t kMostLabels = 50'000;

  void take_message(Json& message);
  void take(Json& value, std::string_view context);
  void take_member(const std::string& key, Json& value, std::string_view context, bool is_answer);
  void take_schema(Json& schema);
  void take_texts(Json& value);
  void take_all(Json& value);

  using Text = std::pair<std::uint64_t, std::size_t>;  // its hash and its length
  std::map<Text, std::size_t> labels_;
};

}  // namespace assay::harness
