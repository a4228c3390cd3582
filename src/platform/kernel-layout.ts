/** The numbers that kernels share with their hosts. AssemblyScript reads this file too. */

/** Bytes of a vector. Vector reads and writes may touch up to VECTOR - 1 bytes too many. */
export const VECTOR = 16;
/** The kernels that cut records read this many bytes at a time. */
export const BLOCK = 64;

/** The reasons why a scan for records stops. */
export const CONSUMED = 0;
export const BATCH_IS_FULL = 1;
export const TOO_LONG = 2;
/** The reasons that only a scan for elements has. */
export const ARRAY_ENDS = 3;
export const ELEMENT_IS_MISSING = 4;
export const BRACE_IS_NOT_OPEN = 5;
export const TOO_DEEP = 6;
