//! No code: the cargo features with which the workspace is built, and in `tests/` what loopmem does without any.
