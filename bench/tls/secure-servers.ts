/** The servers that the bench compares, with one certificate for BENCH_HOSTNAME. */
interface SecureServer {
  /** For HTTPS. */
  readonly port: number;
  readonly pid: number;
}

export interface SecureServers {
  /** PEM, for clients. */
  readonly ca: string;
  readonly Waypost: SecureServer;
  readonly nginx: SecureServer;
  /** Waypost without TLS. */
  readonly plainPort: number;
}
