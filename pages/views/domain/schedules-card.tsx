/** The schedules of a domain, also of sitemaps that do not exist before their first run. */
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ScheduleSummary } from '../../../client/src/answers.ts';
import { domainKey, domainPage, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Field } from '../../parts/field.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { VERBATIM } from '../../parts/verbatim.ts';

export function SchedulesCard({ domainId }: { readonly domainId: string }) {
  const path = domainPath(domainId, 'schedules');
  const { list, rows } = useRows<ScheduleSummary>(domainKey(domainId, 'schedules'), path);
  const [isNaming, setNaming] = useState(false);
  const pageOf = (name: string) => domainPage(domainId, 'sitemaps', name);
  return (
    <Card
      title="Schedules"
      aside={
        <button type="button" onClick={() => setNaming(true)}>
          Load on a schedule
        </button>
      }
    >
      <WhenLoaded query={list}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">
              None yet. Waypost can reload a sitemap automatically, from your website or a bucket.
            </p>
          ) : (
            <>
              <Table asCards label="Schedules" head={['Sitemap', 'When', 'Next', 'Last']}>
                {rows.map((row) => (
                  <tr key={row.sitemapName}>
                    <th scope="row">
                      <a href={pageOf(row.sitemapName)}>{row.sitemapName}</a>
                    </th>
                    <td data-label="When">{row.words ?? 'By its hook'}</td>
                    <td data-label="Next">
                      {row.enabled ? <Time at={row.nextRuns[0] ?? null} absent="–" /> : 'Paused'}
                    </td>
                    <td data-label="Last">{lastOf(row)}</td>
                  </tr>
                ))}
              </Table>
              <ShowMore list={list} what="schedules" />
            </>
          )
        }
      </WhenLoaded>
      {isNaming && <NameSitemap pageOf={pageOf} onClose={() => setNaming(false)} />}
    </Card>
  );
}

function lastOf({ uploadId, failures }: ScheduleSummary): string {
  if (uploadId !== null) return 'Loading now';
  if (failures === 0) return 'Fine';
  return failures === 1 ? 'Failed' : `Failed ${failures} times`;
}

interface NameSitemapProps {
  readonly pageOf: (name: string) => string;
  readonly onClose: () => void;
}

/** Asks for the name of a sitemap, and opens its page, where people set the schedule. The sitemap need not exist. */
function NameSitemap({ pageOf, onClose }: NameSitemapProps) {
  const { route } = useLocation();
  const [name, setName] = useState('');
  return (
    <Dialog title="Load on a schedule" onClose={onClose}>
      <DialogForm
        verb="Go on"
        submit={() => route(pageOf(name || 'default'))}
        isBusy={false}
        onClose={onClose}
      >
        <Field label="Name of the sitemap" hint="New, or one that exists. Empty: the main one.">
          {(tied) => (
            <input
              {...tied}
              type="text"
              pattern="[A-Za-z0-9_\-]+"
              maxLength={64}
              {...VERBATIM}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
      </DialogForm>
    </Dialog>
  );
}
