/** The card with the main facts of a domain. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { domainPage } from '../../api/domain.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../parts/card.tsx';
import { calendarDay, counted, weekOf } from '../../parts/format.ts';

export function DomainFacts({ domain }: { readonly domain: DomainDetails }) {
  const { id, urlCount, sitemapCount, guard, indexNow, recent, createdAt, addedBy } = domain;
  const week = weekOf(urlCount, domain.urlsAWeekAgo);
  const settings = domainPage(id, 'settings');
  const { data: session } = useSession();
  return (
    <Card title="At a glance">
      <dl class="facts">
        <dt>Hosted</dt>
        <dd>
          {urlCount === 0 ? 'No URLs yet' : `${counted(urlCount, 'URL')} in ${counted(sitemapCount, 'file')}`}
          {week && <span class="below">{week}</span>}
        </dd>
        <dt>Guard</dt>
        <dd>
          {guard.maxRemovedPercent === null ? (
            <>
              Off · <a href={settings}>Change</a>
            </>
          ) : (
            <>
              Holds uploads that remove over {guard.maxRemovedPercent}%
              <span class="below">of sitemaps with over 1,000 URLs</span>
            </>
          )}
        </dd>
        <dt>IndexNow</dt>
        <dd>
          {indexNow.enabled ? (
            'On'
          ) : session?.submitsUrls === false ? (
            'Not set up by the operator'
          ) : (
            <>
              Off · <a href={settings}>Turn on</a>
            </>
          )}
        </dd>
        {recent.enabled && (
          <>
            <dt>Recent changes</dt>
            <dd>
              {counted(recent.urlCount, 'URL')} in {counted(recent.hours, 'hour')}
            </dd>
          </>
        )}
        <dt>Added</dt>
        <dd>
          {calendarDay(createdAt)}
          {addedBy !== null && <span class="below">by {addedBy}</span>}
        </dd>
      </dl>
    </Card>
  );
}
