/** Connects domains with their sites and certificates, for the API, the jobs and the command line. */
import { enqueueFirstIssuances } from '../core/jobs/enqueue-issuance.ts';
import { requestCertificates, stopCertificate } from '../features/certificates/certificate-store.ts';
import type { DeleteDomainOptions } from '../features/domains/delete-domain.ts';
import type { VerifyDomainOptions } from '../features/domains/verify-domain.ts';
import type { Sites } from '../features/sites/open-sites.ts';

type DomainLife = DeleteDomainOptions & Pick<VerifyDomainOptions, 'onVerified'>;

export function domainLife(sites: Pick<Sites, 'openChange' | 'discard'>): DomainLife {
  return {
    openChange: sites.openChange,
    discardUploads: sites.discard,
    onVerified: async (transaction, ...domains) => {
      await requestCertificates(transaction, domains);
      await enqueueFirstIssuances(
        transaction,
        domains.map(({ id }) => id),
      );
    },
    onUnserved: (transaction, domain) => stopCertificate(transaction, domain.id),
  };
}
