/** The name of the account, which owners may change, and its id, by which operators find it. */
import { useState } from 'preact/hooks';
import { useSession } from '../../../api/session.ts';
import { Card } from '../../../parts/card.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { RenameAccount } from './rename-account.tsx';

export function AccountCard() {
  const session = useSession();
  const [isRenaming, setRenaming] = useState(false);
  const isOwner = session.data?.account.role === 'owner';
  return (
    <Card
      title="Account"
      aside={
        isOwner && (
          <button type="button" class="small" onClick={() => setRenaming(true)}>
            Rename
          </button>
        )
      }
    >
      <WhenLoaded query={session}>
        {({ account: { id, name } }) => (
          <>
            <dl class="facts">
              <dt>Name</dt>
              <dd>{name}</dd>
              <dt>Account ID</dt>
              <dd>
                <code>{id}</code>
              </dd>
            </dl>
            {isRenaming && <RenameAccount name={name} onClose={() => setRenaming(false)} />}
          </>
        )}
      </WhenLoaded>
    </Card>
  );
}
