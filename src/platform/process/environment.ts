/** The process's environment. Nothing else reads it directly. */
export function environment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: this is the one place
  return process.env;
}

/**
 * For a thread that may run out of memory: no secrets, and no compile cache. With NODE_COMPILE_CACHE, V8 ends the whole process
 * with such a thread.
 */
export function threadEnvironment(): Record<string, string> {
  return { NODE_OPTIONS: environment().NODE_OPTIONS ?? '', NODE_DISABLE_COMPILE_CACHE: '1' };
}
