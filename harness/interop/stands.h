// The servers of a matrix, each as it stands over one transport for all its cells.
#pragma once

#include <deque>
#include <string>

#include "harness/interop/cell.h"
#include "harness/interop/entries.h"
#include "harness/interop/http_host.h"
#include "harness/interop/offer.h"

namespace assay::harness {

struct Stand {
  const InteropServer* server = nullptr;
  TransportKind transport = TransportKind::kStdio;
  HttpHost host;        // over HTTP
  std::string trouble;  // why it did not start
  EraOffers offers;
  bool asks_for_token = false;  // it refuses requests without one
  bool is_ready = false;        // it was started, and was asked what it offers
};

class Stands {
 public:
  // The context outlives it.
  explicit Stands(const CellContext& context) : context_(context) {}

  // The one of that server, which stays where it is.
  Stand& of(const InteropServer& server, TransportKind transport);
  // Starts those that are not ready, and asks what they offer, `jobs` at once. The thread that
  // calls it has to outlive them.
  void make_ready(int jobs);

 private:
  void start(Stand& stand) const;
  void take_offers(Stand& stand) const;
  // The offer to somebody with a token, of a server that asks for one.
  void come_in(Stand& stand) const;
  bool is_stopped() const { return context_.stop.stop_requested(); }

  const CellContext& context_;
  std::deque<Stand> all_;
};

}  // namespace assay::harness
