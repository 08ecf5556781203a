#include "reference/model/uri_reference.h"

#include <optional>

namespace assay::model {
namespace {

struct UriParts {
  std::string_view scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
};

bool is_scheme(std::string_view text) {
  if (text.empty()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!is_letter && (i == 0 || !is_other)) return false;
  }
  return true;
}

// Of a reference without fragment.
UriParts take_apart(std::string_view text) {
  UriParts parts;
  const std::size_t colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && text[colon] == ':' && is_scheme(text.substr(0, colon))) {
    parts.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    parts.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    const std::size_t end = text.find('/', 2);
    parts.authority = text.substr(2, end == std::string_view::npos ? end : end - 2);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  }
  parts.path = text;
  return parts;
}

// RFC 3986, 5.2.4.
std::string without_dots(std::string_view path) {
  std::string out;
  const auto drop_last = [&out] {
    out.erase(out.find_last_of('/') == out.npos ? 0 : out.rfind('/'));
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = path.find('/', 1);
      out += path.substr(0, end);
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
  }
  return out;
}

// RFC 3986, 5.2.3.
std::string merged(const UriParts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const std::size_t slash = base.path.rfind('/');
  const std::string_view folder =
      slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1);
  return std::string(folder) + std::string(path);
}

std::string put_together(std::string_view scheme, std::optional<std::string_view> authority,
                         const std::string& path, std::optional<std::string_view> query) {
  std::string uri;
  if (!scheme.empty()) uri += std::string(scheme) + ":";
  if (authority) uri += "//" + std::string(*authority);
  uri += path;
  if (query) uri += "?" + std::string(*query);
  return uri;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string resolve_reference(std::string_view base, std::string_view reference) {
  const UriParts to = take_apart(split_fragment(reference).first);
  if (!to.scheme.empty()) {
    return put_together(to.scheme, to.authority, without_dots(to.path), to.query);
  }
  const UriParts from = take_apart(base);
  if (to.authority) {
    return put_together(from.scheme, to.authority, without_dots(to.path), to.query);
  }
  if (to.path.empty()) {
    return put_together(from.scheme, from.authority, std::string(from.path),
                        to.query ? to.query : from.query);
  }
  const std::string path = to.path.starts_with('/') ? std::string(to.path) : merged(from, to.path);
  return put_together(from.scheme, from.authority, without_dots(path), to.query);
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view reference) {
  const std::size_t hash = reference.find('#');
  if (hash == std::string_view::npos) return {reference, {}};
  return {reference.substr(0, hash), reference.substr(hash + 1)};
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace assay::model
