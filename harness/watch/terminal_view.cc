#include "harness/watch/terminal_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostOfALine = 2'000;

std::string shown(const Json& told, const char* name) {
  return reports::printable_line(reports::cut(text_member(told, name), kMostOfALine));
}

std::string number_in(const Json& told) {
  const Json& n = member(told, "n");
  return n.is_number_unsigned() ? fmt::format("{}", n.get<std::uint64_t>()) : "-";
}

// At most so many characters; wide ones may take two columns each, and are rare here.
std::string fit(const std::string& line, std::size_t columns) {
  if (reports::columns(line) <= columns) return line;
  std::string out;
  std::string_view rest = line;
  for (std::size_t left = columns > 0 ? columns - 1 : 0; left > 0 && !rest.empty(); --left) {
    const std::size_t size = reports::first_code_point(rest).size;
    out += rest.substr(0, size);
    rest.remove_prefix(size);
  }
  return out + "…";
}

void keep(std::deque<std::string>& lines, std::string line, std::size_t most) {
  lines.push_back(std::move(line));
  if (lines.size() > most) lines.pop_front();
}

}  // namespace

std::string as_text(const WatchBoard::Line& line) {
  if (const Json& told = member(line.json, "violation"); told.is_object()) {
    std::string out = fmt::format("{}.{} VIOLATION {} {} of the {}: {}", line.session,
                                  number_in(told), shown(told, "level"), shown(told, "rule"),
                                  shown(told, "party"), shown(told, "detail"));
    const std::string marked = shown(told, "marked");
    return marked.empty() ? out : out + fmt::format(" >>> {} <<<", marked);
  }
  if (const Json& told = member(line.json, "message"); told.is_object()) {
    const std::string note = shown(told, "note");
    return fmt::format("{}.{} {} {}", line.session, number_in(told), shown(told, "party"),
                       note.empty() ? shown(told, "text") : "(" + note + ")");
  }
  return fmt::format("{} some messages are not shown", line.session);
}

std::string as_text(const WatchedSession& session) {
  const std::string found =
      session.violations == 0 ? "no violations" : fmt::format("{} violations", session.violations);
  const std::string lost =
      session.left_out == 0 ? "" : fmt::format(", {} not shown", session.left_out);
  return fmt::format(
      "{} {}, {} messages{}, {}: {} {} {}", session.number, session.has_ended ? "ended" : "open",
      session.messages, lost, found, reports::printable_line(session.name),
      reports::printable_line(session.transport), reports::printable_line(session.target));
}

void WatchScreen::take(const WatchBoard::News& news) {
  if (!news.sessions.empty()) sessions_ = news.sessions;
  for (const WatchBoard::Line& line : news.lines) {
    const bool is_violation = line.json.contains("violation");
    keep(is_violation ? violations_ : messages_, as_text(line), kMost);
  }
}

std::string WatchScreen::draw(std::size_t columns, std::size_t rows) const {
  std::vector<std::string> lines;
  const std::size_t third = std::max<std::size_t>(rows / 3, 2);
  const auto put_last = [&](const auto& all, std::size_t most) {
    const std::size_t count = std::min(all.size(), most);
    for (std::size_t i = all.size() - count; i < all.size(); ++i) lines.push_back(all[i]);
  };
  std::vector<std::string> sessions;
  for (const WatchedSession& each : sessions_) sessions.push_back(as_text(each));
  lines.emplace_back("SESSIONS");
  put_last(sessions, third - 1);
  lines.emplace_back("VIOLATIONS");
  put_last(violations_, third - 1);
  lines.emplace_back("LAST MESSAGES");
  put_last(messages_, rows > lines.size() ? rows - lines.size() : 0);
  lines.resize(rows);
  std::string out;
  for (const std::string& line : lines) out += fit(line, columns) + "\n";
  return out;
}

}  // namespace assay::harness
