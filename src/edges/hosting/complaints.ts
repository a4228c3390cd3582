/** Logs failures that any request can cause. The lines of each kind are rate-limited. */
import { sayRarely } from '../../platform/say-rarely.ts';
import type { HostingLog } from './hosting-options.ts';

/** Returns a function for each kind of failure. It logs a line with the details that it is given. */
export function createHostingComplaints(log: HostingLog, now: () => number) {
  const rarely = (level: keyof HostingLog, message: string) =>
    sayRarely((details: object, { unsaid }) => log[level]({ ...details, unsaid }, message), { now });
  return {
    unavailable: rarely('info', 'answered 503'),
    storeFails: rarely('error', 'object storage fails'),
    fileMissing: rarely('error', 'a published file is missing'),
    cutShort: rarely('error', 'answer cut short'),
    busy: rarely('info', 'answered 503: a limit is reached'),
    requestFailed: rarely('error', 'request failed'),
    certificateFails: rarely('error', 'a certificate cannot be used'),
    challengesRefused: rarely('warn', 'too many challenges of unknown hosts: some are not looked up'),
    certificatesRefused: rarely('warn', 'too many hosts without a certificate: some are not looked up'),
    handshakeRefused: rarely('info', 'refused a handshake'),
    hostsRefused: rarely('warn', 'too many unknown hosts: some are not looked up'),
  };
}

export type HostingComplaints = ReturnType<typeof createHostingComplaints>;
