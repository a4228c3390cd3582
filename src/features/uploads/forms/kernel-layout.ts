/** How the host tells the kernel of the columns of a CSV. AssemblyScript reads this file too. */

/** Each column has its kind, the length of the JSON before the value, and from COLUMN_OPEN on that JSON. */
export const COLUMN_BYTES = 64;
export const COLUMN_OPEN = 8;

/** Kinds of columns. */
export const STRING = 0;
export const NUMBER = 1;
/** The cell is passed over. */
export const IGNORED = 2;

/** How cells are written, as flags. */
export const HAS_ESCAPES = 1;
/** A quote inside of an unquoted cell is a fault. */
export const HAS_STRAY_QUOTES = 2;
