/** The memory that the kernel shares with `loc-kernel.ts`: hashes, then the text. AssemblyScript compiles this file, too. */

/** The most hashes of one call. */
export const MAX_HASHED = 4096;
/** Vector reads may touch this many bytes behind the text. */
export const PADDING = 32;
