//! The params of a method that are given as options of its command.

use clap::ArgMatches;
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::members;
use crate::session::{Members, Session};

/// The params that were given. The values of the option `list`, which has the name of a param, are separated by commas.
///
/// # Errors
/// As [`members`].
pub(super) fn params(
    session: &Session<'_>,
    description: &Description,
    method: &str,
    list: &str,
    args: &ArgMatches,
) -> Result<Members> {
    let method = description.methods.iter().find(|it| it.name == method);
    let fields = method.into_iter().flat_map(|method| &method.params.fields);
    let mut params = members(session, fields.filter(|field| field.name != list), args)?;
    if let Some(values) = args.get_many::<String>(list) {
        params.insert(list.to_owned(), values.map(String::as_str).collect());
    }
    Ok(params)
}
