/** The variables of the environment that commands read. */
export interface Environment {
  readonly AWS_ACCESS_KEY_ID?: string;
  readonly AWS_SECRET_ACCESS_KEY?: string;
  readonly AWS_SESSION_TOKEN?: string;
  readonly TERM?: string;
  readonly WAYPOST_API_KEY?: string;
  readonly WAYPOST_URL?: string;
  readonly XDG_CONFIG_HOME?: string;
}

export function environment(): Environment {
  // biome-ignore lint/style/noProcessEnv: this is the one place.
  return process.env;
}
