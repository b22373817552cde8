(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)

; Definitions of other kinds, which may be found or not.
(declaration_command ["export" "readonly" "declare"] (variable_assignment name: (variable_name) @name)) @optional
