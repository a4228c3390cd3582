/** The metrics of certificates: how attempts end, and how long the certificates in use are still valid. */
import { EXPIRY_DAYS } from '../features/certificates/certificate.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, type Metrics } from './registry.ts';

/** Returns the function to call for each attempt. */
export function createCertificateMetrics(
  metrics: Metrics,
  read: ReadCount<'certificates'>,
  readMissing: ReadCount<'missing keys'>,
): (outcome: string) => void {
  exposeGauge(metrics, 'waypost_certificates_expiring', {
    help: 'Certificates in use that expire within so many days',
    labelNames: ['days'],
    async read() {
      const counted = await read();
      return counted && EXPIRY_DAYS.map((days, i) => [{ days }, counted.within[i] ?? 0] as const);
    },
  });
  exposeGauge(metrics, 'waypost_certificate_days_left', {
    help: 'Days until the first certificate in use expires; absent without certificates',
    read: async () => (await read())?.leastDays ?? undefined,
  });
  exposeGauge(metrics, 'waypost_certificates_late', {
    help: 'Certificates in use that expire within a week and within a quarter of their lifetime, so they could not be renewed',
    read: async () => (await read())?.late,
  });
  exposeGauge(metrics, 'waypost_certificates_failing', {
    help: 'Domains whose last attempt to get a certificate failed',
    read: async () => (await read())?.failing,
  });
  exposeGauge(metrics, 'waypost_certificates_key_missing', {
    help: 'Certificates whose private key was sealed with a key that CERTIFICATE_KEYS of the jobs lacks',
    read: readMissing,
  });
  return countBy(
    metrics,
    'waypost_certificate_attempts_total',
    'outcome',
    'Attempts to get a certificate, by how they ended',
  );
}
