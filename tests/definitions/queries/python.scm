; Methods and class attributes; constants of an annotated or conditional module level are assignments too.
(class_definition body: (block (function_definition name: (identifier) @name) @definition.method))
(class_definition body: (block (decorated_definition
  definition: (function_definition name: (identifier) @name) @definition.method)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(module (if_statement consequence: (block
  (expression_statement (assignment left: (identifier) @name) @definition.constant))))
(module (try_statement body: (block
  (expression_statement (assignment left: (identifier) @name) @definition.constant))))
(type_alias_statement left: (type (identifier) @name)) @definition.type
