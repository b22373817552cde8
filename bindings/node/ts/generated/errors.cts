// Generated from the method table by scripts/generate. Do not edit.

import { LoopmemError } from "../error.cjs";

/** The caller passed invalid input; nothing was written. */
export class ValidationError extends LoopmemError {}

/** A stored file is damaged; it was not changed. */
export class ParseError extends LoopmemError {}

/** The operating system refused to read, write or sync a file. */
export class IOError extends LoopmemError {}

/** A new version of a file was written but could not replace the old one, which is unchanged. */
export class RenameError extends LoopmemError {}

/** A lock could not be acquired within the timeout; try again with back-off. */
export class LockAcquisitionError extends LoopmemError {}

/** A secret was found where it can neither be stored nor redacted, such as in an id. */
export class SecretRefused extends LoopmemError {}

/** Nothing with this id or name exists. */
export class NotFound extends LoopmemError {}

/** The id is already in use, or the data was changed concurrently. */
export class Conflict extends LoopmemError {}

/** The lease expired, or another worker owns it now. */
export class LeaseLost extends LoopmemError {}

/** A server or the host's adapter failed. */
export class AdapterError extends LoopmemError {}

/** The git repository could not be read or written. */
export class GitError extends LoopmemError {}

/** This platform or build does not support the operation. */
export class Unsupported extends LoopmemError {}

/** The caller cancelled the call; nothing was written, unless `mayBeStored` says so. */
export class Cancelled extends LoopmemError {}

/** A file was written by a newer version of loopmem; it was not changed. */
export class FormatTooNew extends LoopmemError {}

/** The library was used incorrectly, such as by a call on a closed store. */
export class Misuse extends LoopmemError {}

/** A bug in loopmem; the call was aborted and the process continues. */
export class Internal extends LoopmemError {}
