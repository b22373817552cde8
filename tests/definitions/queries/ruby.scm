; Constants, and methods outside of any class.
(assignment left: (constant) @name) @definition.constant
(program (method name: (_) @name) @definition.function)

; Definitions of other kinds, which may be found or not.
((call method: (identifier) @method arguments: (argument_list (simple_symbol) @name)) @optional
  (#match? @method "^attr_(reader|writer|accessor)$"))
