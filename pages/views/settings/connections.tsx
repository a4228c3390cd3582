/** The connections by which loads and schedules read buckets of the account. Keys are sent to the service, and never shown again. */
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { BucketConnection } from '../../../client/src/answers.ts';
import { get } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { ConnectionForm } from './connections/connection-form.tsx';
import { ConnectionTable } from './connections/connection-table.tsx';

export function Connections() {
  const connections = useQuery({
    queryKey: ['connections'],
    queryFn: () => get<readonly BucketConnection[]>('connections'),
  });
  const [isAdding, setAdding] = useState(false);
  const add = (
    <button type="button" class="primary" onClick={() => setAdding(true)}>
      Add connection
    </button>
  );
  return (
    <Page title="Connections" actions={connections.data !== undefined && connections.data.length > 0 && add}>
      <p class="quiet">
        Loads and schedules read your buckets with them: Amazon S3, and stores that speak its protocol.
      </p>
      <WhenLoaded query={connections}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                There is no connection yet. With one, a warehouse's exports become sitemaps by themselves.
              </p>
              {add}
            </Empty>
          ) : (
            <Card title="Connections" count={rows.length}>
              <ConnectionTable rows={rows} />
            </Card>
          )
        }
      </WhenLoaded>
      {isAdding && <ConnectionForm onClose={() => setAdding(false)} />}
    </Page>
  );
}
