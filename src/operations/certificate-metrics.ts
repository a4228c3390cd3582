/** The metrics of certificates: how attempts end, and how long the certificates in use are still valid. */
import { Counter, Gauge } from 'prom-client';
import { type CertificateExpiries, EXPIRY_DAYS } from '../certificates/certificate.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { Metrics } from './registry.ts';

/** Scrapes are more frequent, and this reads all rows of certificates. */
const FRESH_MS = 30_000;

/** Returns the function to call for each attempt. */
export function createCertificateMetrics(
  metrics: Metrics,
  readExpiries: () => Promise<CertificateExpiries>,
): (outcome: string) => void {
  const read = recentResult(readExpiries, { forMs: FRESH_MS });
  const registers = [metrics];
  const attempts = new Counter({
    name: 'waypost_certificate_attempts_total',
    help: 'Attempts to get a certificate, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'waypost_certificates_expiring',
    help: 'Certificates in use that expire within so many days',
    labelNames: ['days'],
    registers,
    async collect() {
      const { within } = await read();
      for (const [i, days] of EXPIRY_DAYS.entries()) this.set({ days }, within[i] ?? 0);
    },
  });
  new Gauge({
    name: 'waypost_certificate_days_left',
    help: 'Days until the first certificate in use expires; absent without certificates',
    registers,
    async collect() {
      const { leastDays } = await read();
      this.reset();
      if (leastDays === null) this.remove();
      else this.set(leastDays);
    },
  });
  new Gauge({
    name: 'waypost_certificates_failing',
    help: 'Domains whose last attempt to get a certificate failed',
    registers,
    async collect() {
      this.set((await read()).failing);
    },
  });
  return (outcome) => attempts.inc({ outcome });
}
