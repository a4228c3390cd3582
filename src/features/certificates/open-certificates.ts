/** Opens the room: the jobs that issue certificates. Other rooms call `certificate-store.ts` in their own transactions. */
import { enqueueIssuance } from '../../core/jobs/enqueue-issuance.ts';
import type { JobWorks } from '../../core/jobs/job.ts';
import { setPriorities } from './certificate-store.ts';
import { type EnqueueIssuance, enqueueDueCertificates, workOnCertificate } from './due-certificates.ts';
import type { IssueCertificateOptions } from './issue-certificate.ts';
import { renewOwnCertificate } from './own/renew-own-certificate.ts';
import { replaceLost } from './replace-lost.ts';
import { type SealAnewOptions, sealAnew } from './seal-anew.ts';

const MINUTE_MS = 60_000;

export type CertificateJob =
  | 'certificate.issue'
  | 'certificates.sweep'
  | 'certificates.prioritize'
  | 'certificates.own'
  | 'certificates.seal'
  | 'certificates.replace';

/** Opens the room. `ownHostname`: the hostname of the API if the API serves HTTPS itself; otherwise undefined. */
export function openCertificates(options: IssueCertificateOptions, ownHostname: string | undefined) {
  const { database, authorities, openChange, log } = options;
  const enqueue: EnqueueIssuance = (domainId, delayMs, isFirst = false) =>
    enqueueIssuance(database, domainId, { delayMs, isFirst });
  const withKeys = async (work: (options: SealAnewOptions) => Promise<void>) => {
    if (authorities !== undefined) await work({ database, keys: authorities.keys, openChange, log });
  };
  const renewOwn = async () => {
    if (authorities !== undefined && ownHostname !== undefined) {
      await renewOwnCertificate({ ...options, authorities }, ownHostname);
    }
  };
  return {
    jobs: {
      'certificate.issue': { work: ({ domainId }) => workOnCertificate(options, domainId, enqueue) },
      'certificates.sweep': { everyMs: MINUTE_MS, work: () => enqueueDueCertificates(options, enqueue) },
      'certificates.prioritize': { everyMs: 60 * MINUTE_MS, work: () => setPriorities(database) },
      'certificates.own': { everyMs: MINUTE_MS, work: renewOwn },
      'certificates.seal': { everyMs: 5 * MINUTE_MS, work: () => withKeys(sealAnew) },
      'certificates.replace': { work: ({ keyId }) => withKeys((given) => replaceLost(given, keyId)) },
    } satisfies JobWorks<CertificateJob>,
    /** The most jobs at the same time. A job waits for the authority nearly all the time. */
    jobsAtOnce: 10,
  };
}
