/** Something about the machine or the settings that its owner must change; the message names the cure. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** sysexits.h EX_CONFIG. */
export const EXIT_CONFIG = 78;
