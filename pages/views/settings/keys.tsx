/** The API keys of the account: people create, see and revoke them here. A full key is shown once, and is never in the query cache. */
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { KeyRow } from '../../../src/edges/dashboard/wire.ts';
import { keysQuery } from '../../api/queries.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { CreateKey } from './keys/create-key.tsx';
import { KeyTable } from './keys/key-table.tsx';

export function Keys() {
  const keys = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      Create key
    </button>
  );
  return (
    <Page title="API keys" actions={keys.data !== undefined && keys.data.length > 0 && create}>
      <p class="quiet">
        Your programs send a key with each request. The <a href="/dashboard/quick-start">quick start</a> shows
        how.
      </p>
      <WhenLoaded query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>There is no key yet. With one, your own programs can upload sitemaps.</p>
              {create}
            </Empty>
          ) : (
            <Card title="Keys" aside={counted(rows.filter(isValid).length, 'valid key')}>
              <KeyTable rows={rows} />
            </Card>
          )
        }
      </WhenLoaded>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </Page>
  );
}

const isValid = ({ state }: KeyRow) => state === 'valid';
