//! The macros that write the setters of options, filters and drafts, and what their arguments are converted to.

use std::time::Duration;

/// Writes setters, each of which assigns to one field and returns the value itself:
///
/// ```text
/// setters! {
///     /// The documentation of the setter.
///     home(folder: impl Into<PathBuf>) => home = Some(folder.into());
/// }
/// ```
macro_rules! setters {
    ($($(#[$attribute:meta])* $setter:ident($argument:ident: $type:ty) => $($field:ident).+ = $value:expr;)*) => {
        $(
            $(#[$attribute])*
            #[must_use]
            pub fn $setter(mut self, $argument: $type) -> Self {
                self.$($field).+ = $value;
                self
            }
        )*
    };
}

/// Defines a struct of optional fields, each with a setter that has its name and its documentation.
macro_rules! optional_fields {
    ($(#[$attribute:meta])* pub struct $name:ident $(<$life:lifetime>)? {
        $($(#[$doc:meta])* $visibility:vis $field:ident: $type:ty,)*
    }) => {
        $(#[$attribute])*
        pub struct $name $(<$life>)? {
            $($(#[$doc])* $visibility $field: Option<$type>,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(mut self, $field: impl Into<Option<$type>>) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}

/// A duration in whole milliseconds. Saturates: the longest that an option can hold is practically infinite.
pub(crate) fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

/// A list of texts, which replaces any set before.
pub(crate) fn strings(texts: impl IntoIterator<Item: Into<String>>) -> Option<Vec<String>> {
    Some(texts.into_iter().map(Into::into).collect())
}
