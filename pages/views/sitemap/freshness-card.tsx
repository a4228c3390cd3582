/** The expected time between two uploads. If an upload is late, Waypost tells people, and the list of needs shows it. */

import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Sitemap } from '../../../client/src/answers.ts';
import { ask, get } from '../../api/request.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Field, fieldError } from '../../parts/field.tsx';
import { counted } from '../../parts/format.ts';
import { onSend } from '../../parts/on-send.ts';
import { Options } from '../../parts/options.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { type SitemapId, sitemapKey, sitemapPath } from './sitemap-queries.ts';

/** The choices, by the number of hours. Empty: no upload is expected. */
const SPANS: Readonly<Record<string, string>> = {
  '': 'No upload is expected',
  1: 'Every hour',
  6: 'Every 6 hours',
  24: 'Every day',
  168: 'Every week',
  744: 'Every month',
};

export function FreshnessCard({ sitemap }: { readonly sitemap: SitemapId }) {
  const query = useQuery({
    queryKey: sitemapKey(sitemap, 'itself'),
    queryFn: () => get<Sitemap>(sitemapPath(sitemap)),
  });
  return (
    <Card title="Expected uploads">
      <WhenLoaded query={query}>{(found) => <Expectation sitemap={sitemap} found={found} />}</WhenLoaded>
    </Card>
  );
}

function Expectation({ sitemap, found }: { readonly sitemap: SitemapId; readonly found: Sitemap }) {
  const client = useQueryClient();
  const { expectEveryHours, freshUntil, staleSince } = found;
  const [chosen, setChosen] = useState<string>();
  const set = String(expectEveryHours ?? '');
  const { isBusy, failure, run } = useWork(async () => {
    const hours = chosen === undefined || chosen === '' ? null : Number(chosen);
    await ask('PATCH', sitemapPath(sitemap), { expectEveryHours: hours });
    announce(hours === null ? 'No upload is expected.' : 'Saved. It counts from now.');
    await client.invalidateQueries({ queryKey: sitemapKey(sitemap, 'itself') });
    setChosen(undefined);
    void client.invalidateQueries({ queryKey: ['needs'] });
  });
  const spans = set in SPANS ? SPANS : { ...SPANS, [set]: `Every ${counted(Number(set), 'hour')}` };
  return (
    <>
      <Stand freshUntil={freshUntil} staleSince={staleSince} />
      <form onSubmit={onSend(run)}>
        <Field label="An upload comes at least" error={fieldError(failure)}>
          {(tied) => (
            <span class="buttons">
              <select
                {...tied}
                value={chosen ?? set}
                onChange={(event) => setChosen(event.currentTarget.value)}
              >
                <Options of={spans} />
              </select>
              <button type="submit" disabled={(chosen ?? set) === set} aria-disabled={isBusy}>
                {isBusy ? 'Saving …' : 'Save'}
              </button>
            </span>
          )}
        </Field>
      </form>
    </>
  );
}

function Stand({ freshUntil, staleSince }: Pick<Sitemap, 'freshUntil' | 'staleSince'>) {
  if (staleSince !== null) {
    return (
      <p class="notice notice-bad">
        <span>
          No upload has come. It was due <Time at={staleSince} />.
        </span>
      </p>
    );
  }
  if (freshUntil !== null) {
    return (
      <p>
        The next upload is due <Time at={freshUntil} />. If it doesn't come, we tell you.
      </p>
    );
  }
  return <p>Say how often an upload comes, and we tell you when one is missing.</p>;
}
