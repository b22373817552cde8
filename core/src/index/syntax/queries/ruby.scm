; Constants, and methods outside of any class.
(assignment left: (constant) @name) @definition.constant
(program (method name: (_) @name) @definition.function)
