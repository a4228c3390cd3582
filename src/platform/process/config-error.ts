/** A problem of the machine or the settings that the operator must fix. The message says how to fix it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** sysexits.h EX_CONFIG. */
export const EXIT_CONFIG = 78;
