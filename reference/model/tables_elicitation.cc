// Specification: client/elicitation (since 2025-06-18).
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Types request_types() {
  return {
      server_request("ElicitRequest", "elicitation/create",
                     {
                         required("params", ref("ElicitRequestFormParams")).only(v2025_06_18),
                         required("params", ref("ElicitRequestParams")).since(v2025_11_25),
                     })
          .since(v2025_06_18),
      one_of("ElicitRequestParams", {ref("ElicitRequestFormParams"), ref("ElicitRequestURLParams")})
          .since(v2025_11_25),
      object("ElicitRequestFormParams",
             {
                 optional("mode", constant("form")).since(v2025_11_25),
                 required("message", string()),
                 required("requestedSchema",
                          object({
                              required("type", constant("object")),
                              required("properties", map(ref("PrimitiveSchemaDefinition"))),
                              optional("required", array(string())),
                              optional("$schema", string()).since(v2025_11_25),
                          })),
             })
          .extends("TaskAugmentedRequestParams")
          .since(v2025_06_18),
      object("ElicitRequestURLParams",
             {
                 required("mode", constant("url")),
                 required("message", string()),
                 required("url", uri()),
                 required("elicitationId", string()).only(v2025_11_25),
             })
          .extends("TaskAugmentedRequestParams")
          .since(v2025_11_25),
      object("ElicitResult",
             {
                 required("action", one_of_strings({"accept", "decline", "cancel"})),
                 optional("content", map(one_of({
                                         string(),
                                         number(),
                                         boolean(),
                                         array(string()).since(v2025_11_25),
                                     }))),
                 optional("_meta", ref("MetaObject")).until(v2025_11_25),
             })
          .since(v2025_06_18),
      notification("ElicitationCompleteNotification", "notifications/elicitation/complete",
                   {required("params", object({required("elicitationId", string())}))})
          .only(v2025_11_25),
  };
}

Type titled_choices() {
  return array(object({required("const", string()), required("title", string())}));
}

Types schema_types() {
  return {
      // A schema's title and description.
      object("SchemaText",
             {
                 optional("title", string()),
                 optional("description", string()),
             })
          .since(v2025_06_18),
      object("StringSchema",
             {
                 required("type", constant("string")),
                 optional("minLength", integer()),
                 optional("maxLength", integer()),
                 optional("format", one_of_strings({"email", "uri", "date", "date-time"})),
                 optional("default", string()).since(v2025_11_25),
             })
          .extends("SchemaText")
          .since(v2025_06_18),
      object("NumberSchema",
             {
                 required("type", one_of_strings({"number", "integer"})),
                 optional("minimum", number()),
                 optional("maximum", number()),
                 optional("default", number()).since(v2025_11_25),
             })
          .extends("SchemaText")
          .since(v2025_06_18),
      object("BooleanSchema",
             {
                 required("type", constant("boolean")),
                 optional("default", boolean()),
             })
          .extends("SchemaText")
          .since(v2025_06_18),
      one_of("PrimitiveSchemaDefinition",
             {
                 ref("StringSchema"),
                 ref("NumberSchema"),
                 ref("BooleanSchema"),
                 ref("EnumSchema"),
             })
          .since(v2025_06_18),
  };
}

Types enum_schema_types() {
  return {
      // 2025-06-18 knows one form of it; later that is the legacy one.
      one_of("EnumSchema",
             {
                 ref("UntitledSingleSelectEnumSchema").since(v2025_11_25),
                 ref("TitledSingleSelectEnumSchema").since(v2025_11_25),
                 ref("UntitledMultiSelectEnumSchema").since(v2025_11_25),
                 ref("TitledMultiSelectEnumSchema").since(v2025_11_25),
                 ref("LegacyTitledEnumSchema"),
             })
          .since(v2025_06_18),
      object("LegacyTitledEnumSchema",
             {
                 required("type", constant("string")),
                 required("enum", array(string())),
                 optional("enumNames", array(string())),
                 optional("default", string()).since(v2025_11_25),
             })
          .extends("SchemaText")
          .since(v2025_06_18),
      one_of("SingleSelectEnumSchema",
             {ref("UntitledSingleSelectEnumSchema"), ref("TitledSingleSelectEnumSchema")})
          .since(v2025_11_25),
      object("UntitledSingleSelectEnumSchema",
             {
                 required("type", constant("string")),
                 required("enum", array(string())),
                 optional("default", string()),
             })
          .extends("SchemaText")
          .since(v2025_11_25),
      object("TitledSingleSelectEnumSchema",
             {
                 required("type", constant("string")),
                 required("oneOf", titled_choices()),
                 optional("default", string()),
             })
          .extends("SchemaText")
          .since(v2025_11_25),
      one_of("MultiSelectEnumSchema",
             {ref("UntitledMultiSelectEnumSchema"), ref("TitledMultiSelectEnumSchema")})
          .since(v2025_11_25),
      object("MultiSelectBase",
             {
                 required("type", constant("array")),
                 optional("minItems", integer()),
                 optional("maxItems", integer()),
                 optional("default", array(string())),
             })
          .extends("SchemaText")
          .since(v2025_11_25),
      object("UntitledMultiSelectEnumSchema",
             {required("items", object({
                                    required("type", constant("string")),
                                    required("enum", array(string())),
                                }))})
          .extends("MultiSelectBase")
          .since(v2025_11_25),
      object("TitledMultiSelectEnumSchema",
             {required("items", object({required("anyOf", titled_choices())}))})
          .extends("MultiSelectBase")
          .since(v2025_11_25),
  };
}

}  // namespace

Types elicitation_types() {
  return joined({request_types(), schema_types(), enum_schema_types()});
}

}  // namespace assay::model
