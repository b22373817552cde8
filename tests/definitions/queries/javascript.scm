; Constructors, module-level constants, and values that are functions or classes.
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (export_statement declaration:
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(program (export_statement declaration:
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)))
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
