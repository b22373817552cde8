; Functions and prototypes, also those that return pointers (or, in C++, references).
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition declarator: (_ (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition declarator: (_ (_ (function_declarator declarator: (identifier) @name)))) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(declaration declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @definition.function

; Globals with a value; a declaration without one is seldom where a reader wants to go.
(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (_ (identifier) @name)
  (_ (_ (identifier) @name))])) @definition.variable)
(preproc_ifdef (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (_ (identifier) @name)
  (_ (_ (identifier) @name))])) @definition.variable)

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (_ (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type

; A macro without a value is an include guard or a switch.
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

; Definitions of other kinds, which may be found or not.
(preproc_if (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (_ (identifier) @name)])) @optional)
(preproc_else (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (_ (identifier) @name)])) @optional)
(linkage_specification (declaration_list (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (_ (identifier) @name)])) @optional))
(type_definition declarator: (_ (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))) @optional
(type_definition declarator: (_ (_ (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))))) @optional
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (type_identifier) @name))) @optional
; A macro that is called at the top level looks like a function without a type.
((function_definition declarator: (function_declarator declarator: (identifier) @name)) @optional
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
