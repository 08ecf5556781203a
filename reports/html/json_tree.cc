#include "reports/html/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/escape.h"

namespace assay::reports::html {
namespace {

// A container up to here stays on one line.
constexpr std::size_t kShortNode = 72;
// One that is longer is folded, unless it leads to the marked part: sooner in a long text.
constexpr std::size_t kLongNode = 400;
constexpr std::size_t kLongText = 1500;
constexpr std::size_t kLongestString = 600;
constexpr std::size_t kMostChildren = 60;
constexpr int kDeepestTree = 24;
constexpr std::size_t kLongestMissing = 200;

std::string html_text(std::string_view printable) {
  std::string out;
  out.reserve(printable.size());
  for (const char c : printable) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

// A member or an element: [begin, end), its value at `value`.
struct Node {
  std::size_t begin;
  std::size_t value;
  std::size_t end;
};

// Writes the tree of a valid JSON text, which spares it every check.
class TreeWriter {
 public:
  TreeWriter(std::string_view text, const std::optional<Span>& mark) : text_(text), mark_(mark) {}

  // Empty if it is nested too deeply.
  std::string write() {
    const std::size_t begin = space_end(0);
    write_node({begin, begin, value_end(begin)}, "", 0);
    return is_too_deep_ ? std::string() : std::move(out_);
  }

 private:
  std::size_t space_end(std::size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }
  std::size_t string_end(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) at += text_[at] == '\\' ? 1 : 0;
    return std::min(at + 1, text_.size());
  }
  std::size_t value_end(std::size_t at) const {
    std::size_t depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        at = string_end(at);
      } else if (c == '{' || c == '[') {
        ++depth, ++at;
      } else if (c == '}' || c == ']') {
        --depth, ++at;
      } else if (depth == 0) {
        return std::min(text_.find_first_of(" \t\r\n,]}", at), text_.size());
      } else {
        ++at;
      }
      if (depth == 0) return at;
    }
    return at;
  }

  std::vector<Node> children(const Node& parent) const {
    std::vector<Node> out;
    const bool is_object = text_[parent.value] == '{';
    std::size_t at = space_end(parent.value + 1);
    while (at < parent.end && text_[at] != '}' && text_[at] != ']') {
      Node next{at, at, at};
      if (is_object) next.value = space_end(space_end(string_end(at)) + 1);
      next.end = value_end(next.value);
      out.push_back(next);
      at = space_end(next.end);
      if (at < parent.end && text_[at] == ',') at = space_end(at + 1);
    }
    return out;
  }

  bool is_mark(const Node& node) const {
    return mark_ && mark_->begin == node.begin && mark_->end == node.end;
  }
  bool holds_mark(const Node& node) const {
    return mark_ && node.begin <= mark_->begin && mark_->end <= node.end;
  }
  std::string_view raw(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

  // "name": of a member, nothing of an element.
  std::string name_of(const Node& node) const {
    if (node.value == node.begin) return "";
    const std::string_view name = raw(node.begin, string_end(node.begin));
    return html_text(printable_text(cut(name, kLongestString))) + ": ";
  }

  std::string value_text(const Node& node) const {
    const auto show = [this](std::size_t begin, std::size_t end) {
      return html_text(printable_text(cut(raw(begin, end), kLongestString)));
    };
    const bool has_mark = mark_ && mark_->begin >= node.value && mark_->end <= node.end &&
                          !is_mark(node) && mark_->end > mark_->begin;
    if (!has_mark) return show(node.value, node.end);
    return fmt::format("{}<mark>{}</mark>{}", show(node.value, mark_->begin),
                       show(mark_->begin, mark_->end), show(mark_->end, node.end));
  }

  // The first member if it is short: mostly a name, by which a reader knows what is folded.
  std::string telling_member(const std::vector<Node>& all) const {
    if (all.empty() || all[0].end - all[0].begin > kShortNode) return "";
    const char first = text_[all[0].value];
    if (first == '{' || first == '[') return "";
    return fmt::format("{}{} … ", name_of(all[0]), value_text(all[0]));
  }

  void line(const Node& node, std::string_view suffix) {
    const std::string shown = name_of(node) + value_text(node);
    out_ += is_mark(node) ? fmt::format("<div><mark>{}</mark>{}</div>", shown, suffix)
                          : fmt::format("<div>{}{}</div>", shown, suffix);
  }

  void write_node(const Node& node, std::string_view suffix, int depth) {
    const char first = text_[node.value];
    const bool is_container = first == '{' || first == '[';
    const std::size_t size = node.end - node.value;
    if (!is_container || size <= kShortNode) return line(node, suffix);
    if (depth >= kDeepestTree) {
      is_too_deep_ = true;
      return;
    }
    const std::vector<Node> all = children(node);
    const char* const close = first == '{' ? "}" : "]";
    const bool folds = depth > 0 && !holds_mark(node) &&
                       size > (text_.size() > kLongText ? kShortNode : kLongNode);
    std::string head = fmt::format("{}{}", name_of(node), first);
    if (is_mark(node)) head = fmt::format("<mark>{}</mark>", head);
    if (folds) {
      out_ += fmt::format(
          "<details class=\"fold\"><summary>{} <span class=\"small\">{}{} {}</span> "
          "{}{}</summary>",
          head, telling_member(all), all.size(), first == '{' ? "members" : "elements", close,
          suffix);
    } else {
      out_ += fmt::format("<div{}><div>{}</div>", is_mark(node) ? " class=\"marked\"" : "", head);
    }
    out_ += "<div class=\"in\">";
    list(all, depth);
    out_ += fmt::format("</div><div>{}{}</div>{}", close, suffix, folds ? "</details>" : "</div>");
  }

  void list(const std::vector<Node>& all, int depth) {
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= kMostChildren && !holds_mark(all[i])) {
        ++left_out;
        continue;
      }
      write_node(all[i], i + 1 < all.size() ? "," : "", depth + 1);
    }
    if (left_out > 0) {
      out_ += fmt::format("<div class=\"small\">[left out here: {} more]</div>", left_out);
    }
  }

  const std::string_view text_;
  const std::optional<Span> mark_;
  bool is_too_deep_ = false;
  std::string out_;
};

// The beginning of a JSON text, as far as its values are whole, with everything closed that it left
// open: what a reader can take in of a message that the harness has cut off.
std::string completed(std::string_view text) {
  std::string open;  // what closes the containers around this place, the innermost last
  std::size_t whole = 0;
  std::string whole_open;
  std::size_t at = std::min({text.find("\n{"), text.find("data: {"), text.find("data:{")});
  at = text.starts_with('{') || at == std::string_view::npos ? 0 : text.find('{', at);
  const auto note = [&](std::size_t end) { whole = end, whole_open = open; };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) break;
      const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
      if (next == std::string_view::npos) break;
      if (text[next] != ':') note(end + 1);
      at = end + 1;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
      note(++at);
    } else if (c == '}' || c == ']') {
      if (!open.empty()) open.pop_back();
      note(++at);
    } else if (c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
    } else {
      const std::size_t end = text.find_first_of(" \t\r\n,]}", at);
      if (end == std::string_view::npos) break;
      note(at = end);
    }
  }
  return std::string(text.substr(0, whole)) + std::string(whole_open.rbegin(), whole_open.rend());
}

}  // namespace

std::string json_tree(std::string_view text, const std::optional<Span>& mark) {
  if (text.size() > kLongestTree || !nlohmann::json::accept(text)) return "";
  return TreeWriter(text, mark).write();
}

EvidenceTree evidence_tree(const Evidence& evidence) {
  const std::string whole = evidence.is_cut ? completed(evidence.text) : std::string();
  const std::string_view text = evidence.is_cut ? std::string_view(whole) : evidence.text;
  EvidenceTree out;
  if (text.size() > kLongestTree) return out;
  const std::optional<Span> part = json_part(text);
  if (!part) return out;
  const std::string_view json = text.substr(part->begin, part->end - part->begin);
  std::optional<Span> mark = locate(json, evidence.pointer);
  if (mark && !mark->is_exact && evidence.is_cut) {
    return out;  // it may well be there, behind the cut
  }
  if (mark && !mark->is_exact) {
    out.missing = printable_line(cut(evidence.pointer, kLongestMissing));
    // The whole message is the parent: marking all of it says nothing.
    const std::size_t begin = json.find_first_not_of(" \t\r\n");
    if (mark->begin == begin) mark.reset();
  }
  out.is_marked = mark.has_value() && out.missing.empty();
  out.tree = TreeWriter(json, mark).write();
  const std::string_view before = text.substr(0, part->begin);
  out.before = printable_text(before.substr(0, before.find_last_not_of('\n') + 1));
  out.after = evidence.is_cut ? "[cut]" : printable_text(text.substr(part->end));
  if (out.after.find_first_not_of(" \n") == std::string::npos) out.after.clear();
  return out;
}

}  // namespace assay::reports::html
