/** The open upload sessions of a domain: they take parts, and wait for their commit. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { UploadSession } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { useRows } from '../../api/rows.ts';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const HEAD = [
  'Sitemap',
  { name: 'Parts', isNumber: true },
  { name: 'URLs', isNumber: true },
  'Opened',
  'Ends',
  { name: 'Actions', isNumber: true },
] as const;

/** The time between two reads, because parts come while a person looks. */
const EVERY_MS = 5000;

/** Shows nothing if there is no open session. An account has at most three. */
export function OpenSessions({ domainId }: { readonly domainId: string }) {
  const client = useQueryClient();
  const queryKey = domainKey(domainId, 'upload-sessions');
  const path = `${domainPath(domainId, 'upload-sessions')}?status=open`;
  const { rows } = useRows<UploadSession>(queryKey, path, true, EVERY_MS);
  const [discarding, setDiscarding] = useState<UploadSession>();
  if (rows.length === 0) return null;
  return (
    <Card title="Open sessions" lead="Uploads in parts. Nothing of them is live before their commit.">
      <Table asCards label="Open sessions" head={HEAD}>
        {rows.map((session) => (
          <tr key={session.id}>
            <th scope="row">
              {session.sitemapName ?? <span class="quiet">no name</span>}
              <span class="below">
                <code>{session.id}</code>
              </span>
            </th>
            <td class="number" data-label="Parts">
              {count(session.parts)}
              <span class="below">{bytes(session.bytes)}</span>
            </td>
            <td class="number" data-label="URLs">
              {count(session.urlCount)}
            </td>
            <td data-label="Opened">
              <Time at={session.createdAt} />
            </td>
            <td data-label="Ends">
              <Time at={session.expiresAt ?? null} />
            </td>
            <td class="row-actions">
              <button
                type="button"
                class="small"
                aria-label={`Discard the session of ${session.sitemapName ?? 'default'}`}
                onClick={() => setDiscarding(session)}
              >
                Discard
              </button>
            </td>
          </tr>
        ))}
      </Table>
      {discarding && (
        <Confirm
          title="Discard this session?"
          verb="Discard"
          kind="danger"
          work={async () => {
            await ask('DELETE', `upload-sessions/${discarding.id}`);
            announce('The session is discarded.');
            await client.invalidateQueries({ queryKey });
          }}
          onClose={() => setDiscarding(undefined)}
        >
          <p>
            {counted(discarding.parts, 'part')} with {counted(discarding.urlCount, 'URL')} are deleted.
            Writers that still send parts are refused. What is live stays.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
