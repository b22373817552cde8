//! loopmem without any cargo feature: see `tests/`.
