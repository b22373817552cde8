//! Changes a text of JSON with comments, all of which stays as it is but for one value.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use loopmem::{Error, Result};
use serde_json::Value;

/// A text that can be changed.
pub(super) struct Document {
    root: CstRootNode,
}

/// What is at a place.
pub(super) enum There {
    Nothing,
    /// A value that was put there before.
    Ours(Value),
    /// A value of somebody else.
    Other,
}

impl Document {
    /// # Errors
    /// `ValidationError` that says where the text cannot be read.
    pub(super) fn read(text: &str) -> Result<Self> {
        let options = ParseOptions {
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
            ..ParseOptions::default()
        };
        let root = CstRootNode::parse(text, &options).map_err(|cause| Error::validation(cause.to_string()))?;
        let is_readable = root.value().is_none_or(|value| value.as_object().is_some());
        if is_readable { Ok(Document { root }) } else { Err(Error::validation("it is not an object")) }
    }

    pub(super) fn text(&self) -> String {
        self.root.to_string()
    }

    #[cfg(test)]
    pub(super) fn value(&self) -> Value {
        self.root.to_serde_value().unwrap_or_default()
    }

    /// Whether nothing is left but an empty object.
    pub(super) fn is_empty(&self) -> bool {
        let blank = self.root.to_string().replace(char::is_whitespace, "");
        blank.is_empty() || blank == "{}"
    }

    /// The object with these names, one in the other; `None` if there is none.
    ///
    /// # Errors
    /// `ValidationError` if something else is there.
    fn object(&self, path: &[&str]) -> Result<Option<CstObject>> {
        let Some(mut object) = self.root.object_value() else { return Ok(None) };
        for name in path {
            let Some(member) = object.get(name) else { return Ok(None) };
            object = member.object_value().ok_or_else(|| not_a(name, "an object"))?;
        }
        Ok(Some(object))
    }

    fn object_or_create(&self, path: &[&str]) -> Result<CstObject> {
        let mut object = self.root.object_value_or_create().ok_or_else(|| Error::validation("it is not an object"))?;
        for name in path {
            object = object.object_value_or_create(name).ok_or_else(|| not_a(name, "an object"))?;
        }
        Ok(object)
    }

    /// What is the member `name` of an object.
    ///
    /// # Errors
    /// `ValidationError` if something else than objects is on the way.
    pub(super) fn member(&self, path: &[&str], name: &str, is_ours: impl Fn(&Value) -> bool) -> Result<There> {
        let member = self.object(path)?.and_then(|object| object.get(name));
        Ok(match member.map(|member| member.value().and_then(|value| value.to_serde_value())) {
            None => There::Nothing,
            Some(Some(value)) if is_ours(&value) => There::Ours(value),
            Some(_) => There::Other,
        })
    }

    /// Sets a member.
    ///
    /// # Errors
    /// As [`member`](Self::member).
    pub(super) fn set_member(&self, path: &[&str], name: &str, value: &Value) -> Result<()> {
        let object = self.object_or_create(path)?;
        match object.get(name) {
            Some(member) => member.set_value(input(value)),
            None => drop(object.append(name, input(value))),
        }
        Ok(())
    }

    /// Removes a member, and what is empty then.
    ///
    /// # Errors
    /// As [`member`](Self::member).
    pub(super) fn remove_member(&self, path: &[&str], name: &str) -> Result<()> {
        if let Some(member) = self.object(path)?.and_then(|object| object.get(name)) {
            member.remove();
        }
        self.prune(path)
    }

    fn list(&self, path: &[&str], name: &str) -> Result<Option<CstArray>> {
        let Some(member) = self.object(path)?.and_then(|object| object.get(name)) else { return Ok(None) };
        member.array_value().map(Some).ok_or_else(|| not_a(name, "a list"))
    }

    fn elements(&self, path: &[&str], name: &str, is_ours: impl Fn(&Value) -> bool) -> Result<Vec<CstNode>> {
        let all = self.list(path, name)?.map(|list| list.elements()).unwrap_or_default();
        Ok(all.into_iter().filter(|element| element.to_serde_value().is_some_and(|value| is_ours(&value))).collect())
    }

    /// What was put into the list that is the member `name` of an object.
    ///
    /// # Errors
    /// `ValidationError` if something else is there.
    pub(super) fn element(&self, path: &[&str], name: &str, is_ours: impl Fn(&Value) -> bool) -> Result<There> {
        let found = self.elements(path, name, is_ours)?.into_iter().next();
        Ok(found.and_then(|element| element.to_serde_value()).map_or(There::Nothing, There::Ours))
    }

    /// Puts a value into a list, or in the place of the first that was put there before.
    ///
    /// # Errors
    /// As [`element`](Self::element).
    pub(super) fn set_element(
        &self,
        path: &[&str],
        name: &str,
        value: &Value,
        is_ours: impl Fn(&Value) -> bool,
    ) -> Result<()> {
        if let Some(CstNode::Container(there)) = self.elements(path, name, is_ours)?.into_iter().next() {
            if let Some(object) = there.as_object() {
                object.replace_with(input(value));
            }
            return Ok(());
        }
        let object = self.object_or_create(path)?;
        let list = object.array_value_or_create(name).ok_or_else(|| not_a(name, "a list"))?;
        list.append(input(value));
        Ok(())
    }

    /// Removes from a list what was put there, and what is empty then.
    ///
    /// # Errors
    /// As [`element`](Self::element).
    pub(super) fn remove_element(&self, path: &[&str], name: &str, is_ours: impl Fn(&Value) -> bool) -> Result<()> {
        self.elements(path, name, is_ours)?.into_iter().for_each(CstNode::remove);
        if self.list(path, name)?.is_some_and(|list| list.elements().is_empty() && !has_comment(&list.children()))
            && let Some(member) = self.object(path)?.and_then(|object| object.get(name))
        {
            member.remove();
        }
        self.prune(path)
    }

    /// Removes the objects on a path that have nothing in them, not even a comment, from the innermost.
    fn prune(&self, path: &[&str]) -> Result<()> {
        for depth in (1..=path.len()).rev() {
            let (above, name) = (&path[..depth - 1], path[depth - 1]);
            let is_blank = |object: CstObject| object.properties().is_empty() && !has_comment(&object.children());
            let is_empty = self.object(&path[..depth])?.is_some_and(is_blank);
            if let Some(member) = self.object(above)?.and_then(|object| object.get(name)).filter(|_| is_empty) {
                member.remove();
            }
        }
        Ok(())
    }
}

fn has_comment(children: &[CstNode]) -> bool {
    children.iter().any(CstNode::is_comment)
}

fn not_a(name: &str, what: &str) -> Error {
    Error::validation(format!("its member {name} is not {what}"))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
