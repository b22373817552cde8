(trait_definition name: (_) @name) @definition.interface
(enum_definition name: (_) @name) @definition.enum
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(type_definition name: (type_identifier) @name) @definition.type
(given_definition name: (_) @name) @definition.constant
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(template_body (function_definition name: (_) @name) @definition.method)
(template_body (function_declaration name: (_) @name) @definition.method)
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body (val_definition pattern: (identifier) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(template_body (val_declaration name: (identifier) @name) @definition.field)
