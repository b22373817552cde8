; In addition to C's: scopes, classes, members and what is defined outside of its class.
(namespace_definition name: (_) @name) @definition.module
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface

(function_definition declarator: (_ (function_declarator declarator: (operator_name) @name))) @definition.function
(field_declaration_list (function_definition
  declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)) @definition.method)
(field_declaration_list (function_definition
  declarator: (_ (function_declarator
    declarator: [(field_identifier) (operator_name)] @name))) @definition.method)
(field_declaration_list (field_declaration
  declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @definition.method)
(field_declaration_list (field_declaration
  declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.method)
(field_declaration_list (declaration
  declarator: (function_declarator
    declarator: [(identifier) (destructor_name)] @name)) @definition.method)
(field_declaration_list (template_declaration (function_definition
  declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)) @definition.method))

(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: [(identifier) (destructor_name) (operator_name)] @name))) @definition.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier
  name: [(identifier) (operator_name)] @name)))) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: [(identifier) (destructor_name) (operator_name)] @name)))) @definition.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: [(identifier) (operator_name)] @name))))) @definition.method
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @definition.function
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)

(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: (qualified_identifier
    name: [(identifier) (destructor_name) (operator_name)] @name))))) @definition.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: (qualified_identifier
    name: [(identifier) (operator_name)] @name)))))) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: (qualified_identifier name: (qualified_identifier
    name: [(identifier) (destructor_name) (operator_name)] @name)))))) @definition.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier name: (qualified_identifier name: (qualified_identifier
    name: [(identifier) (operator_name)] @name))))))) @definition.method

; Definitions of other kinds, which may be found or not.
(field_declaration declarator: (field_identifier) @name default_value: (_)) @optional
(declaration (type_qualifier) declarator: [(identifier) @name (_ (identifier) @name)]) @optional
(declaration declarator: (init_declarator declarator: (_ (identifier) @name))) @optional
(declaration declarator: (function_declarator declarator: (operator_name) @name)) @optional
((field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @optional
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
((declaration declarator: (function_declarator declarator: (identifier) @name)) @optional
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
((function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)) @optional
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
(declaration declarator: (_ (function_declarator declarator: (operator_name) @name))) @optional
(operator_cast) @optional @name
