#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "reference/transport/served_connection.h"

// What a connection answers, and how it is sent.
namespace assay::transport {
namespace {

// What is still read, and dropped, of a connection that we close before its client does: closed at
// once, TCP would take back the answer that is on its way.
constexpr std::size_t kMostDropped = 1u << 20;
bool never_has_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

// False while the client does not read, and when the connection is broken.
bool ServedConnection::flush() {
  while (sent_ < output_.size()) {
    const ssize_t count =
        ::send(socket_.get(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL);
    if (count > 0) {
      sent_ += static_cast<std::size_t>(count);
      since_ = context_.now;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) close();
    return false;
  }
  if (!output_.empty()) {
    if (output_.capacity() <= ServingContext::kKeptBytes) context_.spare_output.swap(output_);
    output_ = std::string();
    context_.spare_output.clear();
  }
  sent_ = 0;
  return true;
}

std::string& ServedConnection::output() {
  if (output_.capacity() < context_.spare_output.capacity() && output_.empty()) {
    output_.swap(context_.spare_output);
  }
  return output_;
}

void ServedConnection::handle_request() {
  asks_for_head_ = request_->head.method == "HEAD";
  closes_ = !parser_.keeps_open();
  phase_ = Phase::kReply;
  const std::string_view body = whole_body_.empty() ? request_->body : whole_body_;
  HttpReply reply = context_.handler(request_->head, body);
  let_go_of_request();
  if (!reply.later) {
    write_reply(std::move(reply));
    return;
  }
  late_ = std::move(reply.later);
  late_->watch(waker());
}

bool ServedConnection::take_late_reply() {
  std::optional<HttpReply> reply = late_->take();
  if (!reply) return false;
  late_.reset();
  write_reply(*std::move(reply));
  return true;
}

// What can be no request, or is one that nobody will serve: nothing is read any more.
void ServedConnection::refuse(int status, std::string_view why) {
  let_go_of_request();
  input_.clear();
  closes_ = true;
  asks_for_head_ = is_http_1_0_ = false;
  HttpReply reply{status, {{"Content-Type", "text/plain"}}, std::string(why), nullptr};
  reply.body += '\n';
  write_reply(std::move(reply));
}

void ServedConnection::write_reply(HttpReply&& reply) {
  since_ = context_.now;
  is_chunked_ = reply.stream && !is_http_1_0_;
  if (reply.stream && is_http_1_0_) closes_ = true;
  if (!write_head(reply)) {
    reply = {500, {}, "", nullptr};
    is_chunked_ = false;
    [[maybe_unused]] const bool is_written = write_head(reply);
  }
  phase_ = Phase::kRequest;
  if (asks_for_head_ || never_has_body(reply.status)) return;
  if (!reply.stream) {
    output_ += reply.body;
    return;
  }
  stream_ = std::move(reply.stream);
  stream_->watch(waker());
  phase_ = Phase::kStream;
}

// False where the handler gave what no head can say.
bool ServedConnection::write_head(const HttpReply& reply) {
  wire::HttpWriter writer(output());
  writer.status_line(reply.status);
  for (const auto& [name, value] : reply.headers) writer.field(name, value);
  if (is_chunked_) {
    writer.field("Transfer-Encoding", "chunked");
  } else if (!reply.stream && !never_has_body(reply.status)) {
    writer.content_length(reply.body.size());
  }
  if (closes_) {
    writer.field("Connection", "close");
  } else if (is_http_1_0_) {
    writer.field("Connection", "keep-alive");
  }
  return writer.end_head();
}

bool ServedConnection::pull_stream() {
  std::string& chunk = context_.chunk;
  chunk.clear();
  since_ = context_.now;
  const bool has_more = stream_->read(chunk);
  if (is_chunked_) {
    wire::HttpWriter::chunk(output(), chunk);
  } else {
    output() += chunk;
  }
  if (has_more && !has_ended_) return !chunk.empty();
  // A client that says nothing more does not listen either; to it the body has no end.
  const bool is_whole = !has_more && !stream_->is_broken();
  if (!is_whole || !is_chunked_) closes_ = true;
  if (is_whole && is_chunked_) wire::HttpWriter::last_chunk(output());
  stream_.reset();
  phase_ = Phase::kRequest;
  return true;
}

void ServedConnection::begin_linger() {
  ::shutdown(socket_.get(), SHUT_WR);
  phase_ = Phase::kLinger;
  is_readable_ = true;
  since_ = context_.now;
}

bool ServedConnection::drop_input() {
  if (!is_readable_) return false;
  const ssize_t count = receive();
  if (count > 0) dropped_ += static_cast<std::size_t>(count);
  if (count == 0 || dropped_ > kMostDropped) close();
  return count > 0;
}

}  // namespace assay::transport
