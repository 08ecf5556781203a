// `interop --bisect`: the first release of a package with which one act of one cell fails.
#pragma once

#include <stop_token>
#include <string>

#include "harness/interop/matrix.h"
#include "harness/interop/packages.h"

namespace assay::cli {

struct BisectRequest {
  std::string client;
  std::string server;
  std::string transport;
  std::string act;
  bool is_of_server = false;  // whose package it is
  std::string good;           // a version that works; empty: the first that was published
};

// "CLIENT/SERVER/TRANSPORT/ACT". Throws UsageError.
BisectRequest parse_bisect(const std::string& cell, const std::string& of, const std::string& good);

// Prints each release that it tries, and the answer. The exit status: 1 where one was found. Throws
// UsageError for a cell that is not of the matrix, or a party without a package.
int run_bisect(const BisectRequest& request, harness::MatrixOptions options,
               const harness::PackageCache& cache, const std::stop_token& stop);

}  // namespace assay::cli
