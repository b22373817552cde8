; Type aliases, enums, namespaces, and what JavaScript's query does not know.
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(internal_module name: [(identifier) (nested_identifier)] @name) @definition.module
(module name: [(identifier) (string)] @name) @definition.module
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.field
(public_field_definition name: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @definition.method
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))

; Definitions of other kinds, which may be found or not.
(property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @optional
(method_definition name: (number) @name) @optional
(method_signature name: (number) @name) @optional
(construct_signature "new" @name) @optional
(statement_block (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @optional)
