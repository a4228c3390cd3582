/** Counts the work of a hosting server in plain numbers, because a metrics library is too slow for answers from memory. */
import { DurationHistogram } from './duration-histogram.ts';

export interface CacheCounts {
  hits: number;
  misses: number;
}

export interface CertificateCounts extends CacheCounts {
  /** The number of secure contexts made. The contexts that are open, `opened` − `closed`, hold native memory. */
  opened: number;
  closed: number;
  /** Certificate objects that could not be used. */
  failures: number;
}

export interface HandshakeCounts {
  full: number;
  /** Shortened by a session ticket. */
  resumed: number;
  /** The client named no host, or a host without a certificate. */
  unknownName: number;
  /** The store failed, or a limit was reached, so we could not tell whether the host has a certificate. */
  unavailable: number;
  timeout: number;
  /** The client left, or did not send TLS that the server understands. */
  broken: number;
}

export class HostingCounts {
  /** The number of answers, indexed by status. */
  readonly answers = new Float64Array(600);
  /** The durations of answers. An answer from memory takes some 0.02 ms. An answer takes 5 s if it waits for the store's deadline. */
  readonly durations = new DurationHistogram([0.0001, 0.00025, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10]);
  readonly sites: CacheCounts = { hits: 0, misses: 0 };
  readonly listings: CacheCounts = { hits: 0, misses: 0 };
  readonly files: CacheCounts = { hits: 0, misses: 0 };
  readonly inflated: CacheCounts = { hits: 0, misses: 0 };
  readonly certificates: CertificateCounts = { hits: 0, misses: 0, opened: 0, closed: 0, failures: 0 };
  readonly handshakes: HandshakeCounts = {
    full: 0,
    resumed: 0,
    unknownName: 0,
    unavailable: 0,
    timeout: 0,
    broken: 0,
  };
  /** Functions that return the memory in use. `createHosting` connects them to the caches. */
  siteBytes = () => 0;
  objectBytes = () => 0;
  certificateBytes = () => 0;

  answered(status: number, seconds: number): void {
    this.answers[status]! += 1;
    this.durations.add(seconds);
  }
}
