/** What the API, the jobs and the command line need to begin and end the service of a domain. */
import type { DeleteDomainOptions } from '../domains/delete-domain.ts';
import type { ChangeSite } from '../domains/domain.ts';
import type { VerifyDomainOptions } from '../domains/verify-domain.ts';
import { addUploadsOfDomain } from '../sites/garbage-store.ts';

type DomainLife = DeleteDomainOptions & Pick<VerifyDomainOptions, 'onVerified'>;

/** `keepReplacedMs`: how long the files of a deleted domain stay. */
export function domainLife(changeSite: ChangeSite, keepReplacedMs: number): DomainLife {
  return {
    changeSite,
    discardUploads: (transaction, domainId) => addUploadsOfDomain(transaction, domainId, keepReplacedMs),
    // Certificates begin and end here.
    onVerified: async () => {},
    onUnserved: async () => {},
  };
}
