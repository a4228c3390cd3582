/** The process's environment. No other code of `src/` reads it directly. */
export function environment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: this is the one place
  return process.env;
}

/** Variables of the machine: paths, languages, times, and libraries that a loader or a clock needs (libfaketime). */
const OF_MACHINE =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|TZ|TMPDIR|TEMP|SystemRoot|(?:LC|LD|DYLD|FAKETIME|DONT_FAKE)_.*|FAKETIME)$/;

/** The environment for external programs: without our settings, and without secrets. */
export function machineEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment()).filter(([name]) => OF_MACHINE.test(name)));
}

/**
 * The environment for a thread that may run out of memory: without secrets and without a compile cache. With
 * NODE_COMPILE_CACHE, V8 ends the whole process if such a thread runs out of memory.
 */
export function threadEnvironment(): Record<string, string> {
  return { NODE_OPTIONS: environment().NODE_OPTIONS ?? '', NODE_DISABLE_COMPILE_CACHE: '1' };
}
