(class_declaration name: (identifier) @name) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name (enum_class_body)) @definition.enum
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(type_alias type: (identifier) @name) @definition.type
(function_declaration name: (identifier) @name) @definition.function
(class_body (function_declaration name: (identifier) @name) @definition.method)
(enum_class_body (function_declaration name: (identifier) @name) @definition.method)
(secondary_constructor "constructor" @name) @definition.method
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.field)
