// How a server is reached, as options of the command line say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/project/login_choice.h"

namespace assay::cli {

// The options that name one server.
struct ServerOptions {
  bool is_started = false;  // the command makes the server listen at the URL
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "K=V"
  std::string url;
  std::string sse_url;
  std::string socket;                    // of a program that plays the server over stdio
  std::vector<std::string> headers;      // "K: V", as curl takes it
  std::vector<std::string> auth_tokens;  // "NAME=TOKEN", as auth_tokens.h has it
  std::string auth_token_file;
  bool has_tokens = false;       // of a file of servers, which are in the job already
  bool has_auth_server = false;  // ours, which the server is told of
  std::int64_t auth_server_port = 0;
  bool has_upstream = false;  // an API that is ours, which the server is told of
  std::int64_t upstream_port = 0;
  LoginChoice login;

  // Tokens were given.
  bool shows_tokens() const {
    return has_tokens || !auth_tokens.empty() || !auth_token_file.empty();
  }
  // Something says which server it is, or how it is reached.
  bool names_a_server() const;
};

// The options that say which server it is. `verb`: what is done with it, "test".
void declare_server(Arguments& arguments, ServerOptions& server, const std::string& verb);

// The options that say who we are to the server: headers and tokens; and the environment of its
// command.
void declare_credentials(Arguments& arguments, ServerOptions& server);
// For commands that obtain a token themselves, or act as the authorization server; and for those
// that act as the API behind the server.
void declare_login(Arguments& arguments, ServerOptions& server);
void declare_upstream(Arguments& arguments, ServerOptions& server);

}  // namespace assay::cli
