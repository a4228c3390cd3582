/** The settings tab of a domain: robots.txt, the submission of changed URLs, recent changes, the guard, and the deletion. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { DeleteDomain } from './delete-domain.tsx';
import { GuardCard } from './guard-card.tsx';
import { PageHostsCard } from './page-hosts-card.tsx';
import { RecentCard } from './recent-card.tsx';
import { SubmissionCard } from './submission-card.tsx';

export function DomainSettings({ domain }: { readonly domain: DomainDetails }) {
  return (
    <>
      <PageHostsCard domainId={domain.id} />
      <div class="halves">
        <div class="stack">
          <SubmissionCard domain={domain} />
          <RecentCard domain={domain} />
        </div>
        <div class="stack">
          <GuardCard domain={domain} />
          <DeleteDomain domain={domain} />
        </div>
      </div>
    </>
  );
}
