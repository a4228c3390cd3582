/** Reads the `code` property of errors from Node, drivers and clients, for example ENOENT. */

/** Returns undefined for an error without a code, and for a value that is no Error. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}
