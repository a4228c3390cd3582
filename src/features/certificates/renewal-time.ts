/**
 * Chooses the time when a certificate is renewed. Times are spread at random, so that the certificates of one day are not all renewed in
 * one hour.
 */
import type { RenewalWindow } from '../../platform/acme/acme-resources.ts';
import type { Lifetime } from '../../platform/x509/own-authority.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * The parts of the lifetime after which a certificate is renewed if the authority names no window. Boulder, the program of Let's Encrypt,
 * has the same rule.
 */
const USUAL_PART = 2 / 3;
const SHORT_LIVED_PART = 1 / 2;
const SHORT_LIVED_MS = 10 * DAY_MS;
/** The most by which the usual time is moved at random, as a part of the lifetime. */
const JITTER = 0.01;
/** No renewal is planned after this part of the lifetime. The rest of the lifetime leaves time for some failed attempts. */
const LATEST_PART = 9 / 10;
const EARLIEST_PART = 1 / 10;
/**
 * The time between two questions if the authority does not answer or names no window. RFC 9773, section 4.3.3, recommends six hours after
 * an error, and lets clients choose another time.
 */
const ASK_ARI_EVERY_MS = 12 * 3_600_000;

/** Returns the time of the renewal. It is in the past if the authority wants the renewal at once. `random`: from 0 to 1. */
export function renewalTime(lifetime: Lifetime, window: RenewalWindow | undefined, random: number): Date {
  const start = window?.start.getTime() ?? Number.POSITIVE_INFINITY;
  const latest = afterPart(lifetime, LATEST_PART);
  // Ignore a window that begins after the latest time for a renewal.
  if (window === undefined || start >= latest) return usualTime(lifetime, random);
  const end = Math.min(window.end.getTime(), latest);
  return new Date(start + random * Math.max(0, end - start));
}

/**
 * Returns the renewal time of a new certificate. It is not before a tenth of the lifetime, so that an authority whose windows are in the
 * past causes no endless orders.
 */
export function firstRenewalTime(
  lifetime: Lifetime,
  window: RenewalWindow | undefined,
  random: number,
): Date {
  const time = renewalTime(lifetime, window, random).getTime();
  return new Date(Math.max(time, afterPart(lifetime, EARLIEST_PART)));
}

/**
 * Returns the renewal time after a new answer of the authority. A time inside the window does not change, so renewals remain spread. A
 * renewal that is due stays due: its attempt failed or was put off, and an operator may have asked for it.
 */
export function nextRenewalTime(
  certificate: Lifetime & { readonly renewAt: Date },
  window: RenewalWindow | undefined,
  now: Date,
  random: number,
): Date {
  const { renewAt } = certificate;
  const isInside = window === undefined || (window.start <= renewAt && renewAt <= window.end);
  return isInside || renewAt <= now ? renewAt : renewalTime(certificate, window, random);
}

/** Returns the time to ask the authority for the window again. */
export function nextAriCheck(now: Date, window: RenewalWindow | undefined): Date {
  return new Date(now.getTime() + (window?.askAgainMs ?? ASK_ARI_EVERY_MS));
}

function usualTime(lifetime: Lifetime, random: number): Date {
  const part = lengthOf(lifetime) < SHORT_LIVED_MS ? SHORT_LIVED_PART : USUAL_PART;
  return new Date(afterPart(lifetime, part + JITTER * (2 * random - 1)));
}

function afterPart(lifetime: Lifetime, part: number): number {
  return lifetime.notBefore.getTime() + lengthOf(lifetime) * part;
}

const lengthOf = ({ notBefore, notAfter }: Lifetime) => notAfter.getTime() - notBefore.getTime();
