/** The step of the certificate. The service gets and renews the certificate without the person, unless something is wrong. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { calendarDay, fromNow } from '../../parts/format.ts';
import type { Step } from './checklist.ts';

type Issued = Pick<DomainDetails, 'status' | 'sslStatus' | 'certificate' | 'dns'>;

/** `now`: in milliseconds since 1970. */
export function httpsStep({ status, sslStatus, certificate, dns }: Issued, now: number): Step {
  const name = 'HTTPS';
  const caa = dns.records.find(({ state }) => state === 'blocked');
  if (status === 'pending_verification') {
    if (caa) return { name, state: 'wrong', line: `Certificate blocked. ${caa.message}` };
    return { name, state: 'later', line: 'We get the certificate for you, usually within a minute' };
  }
  if (status === 'failed') return { name, state: 'later', line: 'After the DNS' };
  const { issuer, notAfter, lastError, nextAttemptAt } = certificate ?? NONE;
  const isValid = notAfter !== null && Date.parse(notAfter) > now;
  if (lastError !== null || sslStatus === 'failed') {
    const next = nextAttemptAt === null ? '' : ` Next try ${inFuture(nextAttemptAt, now)}.`;
    const cause = lastError ?? 'No authority issued one.';
    return isValid
      ? {
          name,
          state: 'wrong',
          line: `Couldn't renew the certificate: ${cause}${next}`,
          aside: until(notAfter),
        }
      : { name, state: 'wrong', line: `No certificate: ${cause}${next}` };
  }
  if (isValid && status === 'active')
    return {
      name,
      state: 'done',
      line: `${issuer ?? 'Certificate'}, renewed for you`,
      aside: until(notAfter),
    };
  if (notAfter !== null && !isValid)
    return { name, state: 'wrong', line: 'The certificate has expired. A new one is on its way.' };
  return { name, state: 'now', line: 'Getting a certificate, usually within a minute' };
}

const NONE = { issuer: null, notAfter: null, lastError: null, nextAttemptAt: null };
const until = (iso: string) => `Until ${calendarDay(iso)}`;
const inFuture = (iso: string, now: number) => (Date.parse(iso) > now ? fromNow(iso, now) : 'now');
