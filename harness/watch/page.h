// The live page of a watch: on the loopback, read-only, under a path that nobody can guess.
#pragma once

#include <string>

#include "harness/watch/board.h"
#include "reference/transport/http_listener.h"

namespace assay::harness {

class WatchPage {
 public:
  explicit WatchPage(WatchBoard& board);

  // "/5f2a...": the only path that is answered, with the stream of news below it.
  const std::string& path() const { return path_; }
  // Refuses with 403 what is addressed to a name that is not this machine's, or comes from a page
  // of somebody else's; 404 for every other path. Lives no longer than the page.
  transport::HttpListener::Handler handler();

 private:
  transport::HttpReply answer(const transport::HttpHead& request) const;

  WatchBoard& board_;
  const std::string path_;
};

}  // namespace assay::harness
