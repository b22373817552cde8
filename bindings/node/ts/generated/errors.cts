// Generated from the method table by scripts/generate. Do not edit.

import { LoopmemError } from "../error.cjs";

/** What the caller passed is not what the method takes; nothing was written. */
export class ValidationError extends LoopmemError {}

/** A stored file is not what its format says; it was left as it is. */
export class ParseError extends LoopmemError {}

/** The operating system refused to read, write or sync a file. */
export class IOError extends LoopmemError {}

/** A finished file could not be moved into its place; the old one still stands. */
export class RenameError extends LoopmemError {}

/** A lock was not free within its time-out; try again with back-off. */
export class LockAcquisitionError extends LoopmemError {}

/** A secret stands where it may neither be stored nor redacted, such as in an id. */
export class SecretRefused extends LoopmemError {}

/** Nothing has this id or name. */
export class NotFound extends LoopmemError {}

/** Something else already has this id, or changed in between. */
export class Conflict extends LoopmemError {}

/** The lease ran out or another worker owns it now. */
export class LeaseLost extends LoopmemError {}

/** A server, or the host's own adapter, failed or threw. */
export class AdapterError extends LoopmemError {}

/** git could not read or write the repository. */
export class GitError extends LoopmemError {}

/** This platform or build cannot do it. */
export class Unsupported extends LoopmemError {}

/** The caller cancelled the call; nothing was written. */
export class Cancelled extends LoopmemError {}

/** A file was written by a newer loopmem; it was left as it is. */
export class FormatTooNew extends LoopmemError {}

/** The library was used in a way that cannot work, such as a call on a closed store. */
export class Misuse extends LoopmemError {}

/** A defect in loopmem; the call was stopped and the process goes on. */
export class Internal extends LoopmemError {}
