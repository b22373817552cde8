; A chunk's variables; those that hold functions are functions, as in the shipped query.
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @definition.variable)
(chunk (assignment_statement (variable_list . name: (identifier) @name)) @definition.variable)
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition)))) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) @name (dot_index_expression field: (identifier) @name)])
  (expression_list . value: (function_definition))) @definition.function
