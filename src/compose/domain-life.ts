/** What the API, the jobs and the command line need to begin and end the service of a domain. */
import { requestCertificate, stopCertificate } from '../certificates/certificate-store.ts';
import type { DeleteDomainOptions } from '../domains/delete-domain.ts';
import type { ChangeSite } from '../domains/domain.ts';
import type { VerifyDomainOptions } from '../domains/verify-domain.ts';
import { enqueueIssuance } from '../jobs/enqueue-issuance.ts';
import { addGarbage, addUploadsOfDomain } from '../sites/garbage-store.ts';
import { outboxOfDomain } from '../sites/outbox.ts';

type DomainLife = DeleteDomainOptions & Pick<VerifyDomainOptions, 'onVerified'>;

/** `keepReplacedMs`: how long the files of a deleted domain stay. */
export function domainLife(changeSite: ChangeSite, keepReplacedMs: number): DomainLife {
  return {
    changeSite,
    discardUploads: async (transaction, domainId) => {
      await addUploadsOfDomain(transaction, domainId, keepReplacedMs);
      await addGarbage(transaction, [outboxOfDomain(domainId)], 0);
    },
    onVerified: async (transaction, domain) => {
      await requestCertificate(transaction, domain);
      await enqueueIssuance(transaction, domain.id);
    },
    onUnserved: (transaction, domain) => stopCertificate(transaction, domain.id),
  };
}
