#include "reference/wire/form.h"

#include <algorithm>

namespace assay::wire {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Negative if it is no hexadecimal digit.
int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string encode_percent(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 15U];
  }
  return out;
}

std::string decode_form_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool has_digits = text[at] == '%' && text.size() - at > 2;
    const int high = has_digits ? digit_value(text[at + 1]) : -1;
    const int low = has_digits ? digit_value(text[at + 2]) : -1;
    if (high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      out += text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

Form read_form(std::string_view text) {
  Form form;
  while (!text.empty() && form.size() < kMostFormFields) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    form.emplace_back(decode_form_text(pair.substr(0, equals)),
                      decode_form_text(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return form;
}

std::string write_form(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form) {
    if (!text.empty()) text += '&';
    text += encode_percent(name) + '=' + encode_percent(value);
  }
  return text;
}

std::optional<std::string> form_value(const Form& form, std::string_view name) {
  for (const auto& [each, value] : form) {
    if (each == name) return value;
  }
  return std::nullopt;
}

std::string_view query_in(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

std::string_view authority_in(std::string_view target) {
  const std::size_t colon = target.find_first_of(":/?#");
  if (colon == std::string_view::npos || !target.substr(colon).starts_with("://")) return "";
  target.remove_prefix(colon + 3);
  return target.substr(0, target.find_first_of("/?#"));
}

std::string_view path_in(std::string_view target) {
  if (const std::string_view authority = authority_in(target); !authority.empty()) {
    target = std::string_view(authority.end(), target.end());
    if (!target.starts_with('/')) return "/";
  }
  return target.substr(0, target.find_first_of("?#"));
}

}  // namespace assay::wire
