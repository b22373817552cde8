; Enums, constants, and methods, which the shipped query tags as functions.
(enum_declaration name: (name) @name) @definition.enum
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant
