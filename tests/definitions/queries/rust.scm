; Kinds that the shipped query tags as classes or functions, and definitions it leaves out.
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(function_signature_item name: (identifier) @name) @definition.function
(declaration_list (function_item name: (identifier) @name) @definition.function)
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @definition.method))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @definition.method))
(impl_item body: (declaration_list (function_item name: (identifier) @name) @definition.method))
(impl_item type: (type_identifier) @name) @definition.class
(impl_item type: (primitive_type) @name) @definition.class
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.class
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @definition.class
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @definition.class
(impl_item type: (reference_type type: (type_identifier) @name)) @definition.class

; Implementations for what has no name: they may be found by a type in it.
(impl_item type: (_ (type_identifier) @name)) @optional
(impl_item type: (_ (primitive_type) @name)) @optional
(impl_item type: (_ (_ (type_identifier) @name))) @optional
(impl_item type: (_ (_ (primitive_type) @name))) @optional
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.class
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @definition.class
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @definition.class
(impl_item type: (reference_type type: (type_identifier) @name)) @definition.class
