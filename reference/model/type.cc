#include "reference/model/type.h"

namespace assay::model {
namespace {

Type of_kind(Kind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type string_of(Format format) {
  Type type = of_kind(Kind::kString);
  type.format = format;
  return type;
}

}  // namespace

Type Type::since(Revision first) && {
  revisions = revisions & RevisionSet::since(first);
  return std::move(*this);
}

Type Type::until(Revision last) && {
  revisions = revisions & RevisionSet::until(last);
  return std::move(*this);
}

Type Type::only(Revision one) && {
  revisions = revisions & RevisionSet::only(one);
  return std::move(*this);
}

Type Type::extends(std::string base, RevisionSet in) && {
  bases.emplace_back(std::move(base), in);
  return std::move(*this);
}

Type Type::at_least_one_of(std::vector<std::string> names) && {
  needs_one_of = std::move(names);
  return std::move(*this);
}

Type Type::at_least(double least) && {
  minimum = least;
  return std::move(*this);
}

Type Type::between(double least, double most) && {
  minimum = least;
  maximum = most;
  return std::move(*this);
}

Type Type::at_most_items(std::size_t most) && {
  max_items = most;
  return std::move(*this);
}

Type Type::advised() && {
  strength = Strength::kShould;
  return std::move(*this);
}

Type Type::keys(Format key, RevisionSet in) && {
  key_format = key;
  key_format_revisions = in;
  return std::move(*this);
}

Type Type::selected_by(std::string member, std::vector<std::string> values) && {
  selector = std::move(member);
  cases = std::move(values);
  return std::move(*this);
}

Field Field::since(Revision first) && {
  revisions = revisions & RevisionSet::since(first);
  return std::move(*this);
}

Field Field::until(Revision last) && {
  revisions = revisions & RevisionSet::until(last);
  return std::move(*this);
}

Field Field::only(Revision one) && {
  revisions = revisions & RevisionSet::only(one);
  return std::move(*this);
}

Field Field::between(Revision first, Revision last) && {
  revisions = revisions & RevisionSet::since(first) & RevisionSet::until(last);
  return std::move(*this);
}

Field required(std::string name, Type type) {
  return {std::move(name), std::move(type), true, {}};
}
Field optional(std::string name, Type type) {
  return {std::move(name), std::move(type), false, {}};
}

Type any() {
  return of_kind(Kind::kAny);
}
Type string() {
  return of_kind(Kind::kString);
}
Type base64() {
  return string_of(Format::kBase64);
}
Type uri() {
  return string_of(Format::kUri);
}
Type uri_template() {
  return string_of(Format::kUriTemplate);
}
Type time() {
  return string_of(Format::kTime);
}
Type tool_name() {
  return string_of(Format::kToolName).advised();
}
Type integer() {
  return of_kind(Kind::kInteger);
}
Type number() {
  return of_kind(Kind::kNumber);
}
Type boolean() {
  return of_kind(Kind::kBoolean);
}
Type null() {
  return of_kind(Kind::kNull);
}

Type constant(std::string text) {
  Type type = of_kind(Kind::kConstant);
  type.texts.push_back(std::move(text));
  return type;
}

Type constant(std::int64_t value) {
  Type type = of_kind(Kind::kConstant);
  type.constant = value;
  return type;
}

Type one_of_strings(std::vector<std::string> texts) {
  Type type = of_kind(Kind::kEnumeration);
  type.texts = std::move(texts);
  return type;
}

Type array(Type element) {
  Type type = of_kind(Kind::kArray);
  type.parts.push_back(std::move(element));
  return type;
}

Type object() {
  return of_kind(Kind::kObject);
}

Type object(Fields fields) {
  Type type = of_kind(Kind::kObject);
  type.fields = std::move(fields);
  return type;
}

Type map(Type member) {
  Type type = of_kind(Kind::kObject);
  type.parts.push_back(std::move(member));
  return type;
}

Type ref(std::string name) {
  Type type = of_kind(Kind::kReference);
  type.name = std::move(name);
  return type;
}

Type one_of(std::vector<Type> alternatives) {
  Type type = of_kind(Kind::kUnion);
  type.parts = std::move(alternatives);
  return type;
}

Type object(std::string name, Fields fields) {
  return named(std::move(name), object(std::move(fields)));
}

Type one_of(std::string name, std::vector<Type> alternatives) {
  return named(std::move(name), one_of(std::move(alternatives)));
}

Type named(std::string name, Type type) {
  if (type.kind == Kind::kReference) return one_of(std::move(name), {std::move(type)});
  type.name = std::move(name);
  return type;
}

}  // namespace assay::model
