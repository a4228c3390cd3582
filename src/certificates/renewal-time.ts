/** When a certificate is renewed. Times are spread, so that certificates of one day are not renewed in one hour. */
import type { RenewalWindow } from './issuer.ts';

const DAY_MS = 24 * 3_600_000;
/** Boulder's own rule for certificates without ARI: after two thirds of the lifetime, or half of a short one. */
const USUAL_PART = 2 / 3;
const SHORT_LIVED_PART = 1 / 2;
const SHORT_LIVED_MS = 10 * DAY_MS;
const JITTER = 0.01;
/** RFC 9773, section 4.3.2, lets clients ask every six hours at least, if the server does not say. */
const ASK_ARI_EVERY_MS = 12 * 3_600_000;

interface Lifetime {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** `random`: from 0 to 1. In the past if the authority wants it at once. */
export function renewalTime(
  { notBefore, notAfter }: Lifetime,
  window: RenewalWindow | undefined,
  random: number,
): Date {
  if (window !== undefined) {
    const length = Math.max(0, window.end.getTime() - window.start.getTime());
    // A window behind the expiry helps nobody.
    return new Date(Math.min(window.start.getTime() + random * length, latestTime({ notBefore, notAfter })));
  }
  const lifetime = notAfter.getTime() - notBefore.getTime();
  const part = lifetime < SHORT_LIVED_MS ? SHORT_LIVED_PART : USUAL_PART;
  const jitter = lifetime * JITTER * (2 * random - 1);
  return new Date(notBefore.getTime() + lifetime * part + jitter);
}

/** When to ask the authority for the window again. */
export function nextAriCheck(now: Date, window: RenewalWindow | undefined): Date {
  return new Date(now.getTime() + (window?.askAgainMs ?? ASK_ARI_EVERY_MS));
}

/** Leaves time for some failures. */
function latestTime({ notBefore, notAfter }: Lifetime): number {
  return notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) / 10;
}
