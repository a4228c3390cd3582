/** The environment, read in one place. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export interface Environment {
  readonly WAYPOST_API_KEY?: string;
  readonly WAYPOST_URL?: string;
  readonly XDG_CACHE_HOME?: string;
  readonly XDG_CONFIG_HOME?: string;
}

export function environment(): Environment {
  // biome-ignore lint/style/noProcessEnv: this is the one place.
  return process.env;
}

/** The folder of ours below the user's own. By the XDG Base Directory Specification, which has relative paths ignored. */
export function ownFolder(kind: 'cache' | 'config'): string {
  const { XDG_CACHE_HOME, XDG_CONFIG_HOME } = environment();
  const given = kind === 'cache' ? XDG_CACHE_HOME : XDG_CONFIG_HOME;
  return join(given !== undefined && isAbsolute(given) ? given : join(homedir(), `.${kind}`), 'waypost');
}
