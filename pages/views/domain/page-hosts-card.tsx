/** The hosts whose pages are in the sitemaps, and whether crawlers believe the sitemaps about them. */
import { usePageHosts } from '../../api/domain.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { PageHosts } from './page-hosts.tsx';
import { useCheckHosts } from './use-check-hosts.ts';

export function PageHostsCard({ domainId }: { readonly domainId: string }) {
  const hosts = usePageHosts(domainId);
  const { check, isWaiting } = useCheckHosts(domainId, hosts.data);
  return (
    <Card
      title="robots.txt"
      lead="The robots.txt of each host of your pages needs one line for all sitemaps here."
    >
      <WhenLoaded query={hosts}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet">Your websites appear here after the first upload.</p>
          ) : (
            <>
              <PageHosts hosts={rows} />
              <div class="buttons">
                <Action work={check}>Check all now</Action>
                {isWaiting && <span role="status">Checking …</span>}
              </div>
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}
