/** The switch for the sitemap of recent changes. This sitemap is the first one in the index of the domain. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/switch.tsx';
import { useChangeDomain } from './change-domain.ts';
import { recentSentence } from './recent-sentence.ts';

export function RecentCard({ domain: { id, recent } }: { readonly domain: DomainDetails }) {
  const change = useChangeDomain(id);
  return (
    <Card title="Recent changes">
      <p>
        A short sitemap, first in the index, lists only what was added or changed lately. Crawlers need not
        fetch whole files to find that out.
      </p>
      <Switch
        label="Have a sitemap of recent changes"
        isOn={recent.enabled}
        work={() => change({ recent: { enabled: !recent.enabled } })}
      />
      {recent.enabled && <p class="quiet">{recentSentence(recent)}</p>}
    </Card>
  );
}
