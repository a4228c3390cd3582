/** The servers that the bench compares, with one certificate for BENCH_HOSTNAME. */
interface SecureServer {
  /** The port for HTTPS. */
  readonly port: number;
  readonly pid: number;
}

export interface SecureServers {
  /** PEM, for clients. */
  readonly ca: string;
  readonly Waypost: SecureServer;
  readonly nginx: SecureServer;
  /** The port of Waypost without TLS. */
  readonly plainPort: number;
}
