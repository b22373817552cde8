; Enums, constants, and methods, which the shipped query tags as functions.
(enum_declaration name: (name) @name) @definition.enum
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant

; Definitions of other kinds, which may be found or not.
((function_call_expression function: (name) @function
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))
  @optional (#eq? @function "define"))
