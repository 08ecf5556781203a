// What is left to be done with an application that somebody drives by hand, so that more rules come
// up.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/client_errand.h"
#include "harness/transcript/transcript.h"
#include "reference/wire/json.h"

namespace assay::harness {

class ErrandList {
 public:
  // `revisions`: those that are hosted.
  ErrandList(std::vector<model::Revision> revisions, TransportKind transport);

  // What passed. Of the client, what it says is done and who it is; of the server, which revision
  // the two agreed on.
  void note(const Event& event);
  // The rules that came up so far.
  void note_exercised(const std::set<std::string_view>& rules);

  // The errands of which a rule has not come up, that are not done, and that the client could do:
  // as far as it is known what it speaks and declares.
  std::vector<std::string> left() const;

 private:
  void note_message(const wire::Message& message, bool is_from_client);
  void note_spoken(std::optional<model::Revision> revision);
  void note_client(const Json& capabilities);
  bool is_open(const ClientErrand& errand) const;

  const std::vector<model::Revision> hosted_;
  const TransportKind transport_;
  std::set<model::Revision> spoken_;
  std::set<std::string_view> exercised_;
  std::set<const ClientErrand*> done_;
  Json capabilities_;  // of all clients that said theirs; null as long as none has
};

}  // namespace assay::harness
