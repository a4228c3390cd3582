/** The process's environment. Nothing else reads it directly. */
export function environment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: this is the one place
  return process.env;
}
