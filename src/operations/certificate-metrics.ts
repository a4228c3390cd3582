/** The metrics of certificates: how attempts end, and how long the certificates in use are still valid. */
import { Counter, Gauge } from 'prom-client';
import { EXPIRY_DAYS } from '../features/certificates/certificate.ts';
import type { ReadCount } from './counts.ts';
import { type Metrics, setOrRemove } from './registry.ts';

/** Returns the function to call for each attempt. */
export function createCertificateMetrics(
  metrics: Metrics,
  read: ReadCount<'certificates'>,
): (outcome: string) => void {
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
      const counted = await read();
      this.reset();
      if (counted === undefined) return;
      for (const [i, days] of EXPIRY_DAYS.entries()) this.set({ days }, counted.within[i] ?? 0);
    },
  });
  new Gauge({
    name: 'waypost_certificate_days_left',
    help: 'Days until the first certificate in use expires; absent without certificates',
    registers,
    async collect() {
      const counted = await read();
      setOrRemove(this, counted?.leastDays ?? undefined);
    },
  });
  new Gauge({
    name: 'waypost_certificates_failing',
    help: 'Domains whose last attempt to get a certificate failed',
    registers,
    async collect() {
      setOrRemove(this, (await read())?.failing);
    },
  });
  return (outcome) => attempts.inc({ outcome });
}
