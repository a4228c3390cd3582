/** The process's environment: the one place that touches it. */
export function environment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: this is that place
  return process.env;
}
