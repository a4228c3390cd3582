/** The codes by which Node, drivers and clients tell their errors apart, as in ENOENT. */

/** Undefined for what has no code. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Whether the error has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}
