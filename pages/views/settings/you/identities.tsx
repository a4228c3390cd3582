/** The identities with which the person signs in, and the buttons to add and remove them. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Identity, SignInOptions } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { announce } from '../../../parts/announce.tsx';
import { Card } from '../../../parts/card.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

export interface IdentitiesProps {
  readonly identities: readonly Identity[];
  readonly providers: SignInOptions['providers'];
}

export function Identities({ identities, providers }: IdentitiesProps) {
  const [unlinking, setUnlinking] = useState<Identity>();
  return (
    <Card title="Ways to sign in">
      {identities.length === 0 ? (
        <p>You signed in with a one-time link.</p>
      ) : (
        <Table
          label="Ways to sign in"
          asCards
          head={['Provider', 'Email', 'Last sign-in', { name: 'Actions', isNumber: true }]}
        >
          {identities.map((identity) => (
            <tr key={`${identity.issuer} ${identity.subject}`}>
              <th scope="row">
                {nameOf(identity)}
                {identity.providerName === null && (
                  <span class="below">This service does not use it any more.</span>
                )}
              </th>
              <td class="name" data-label="Email">
                {identity.email ?? '–'}
              </td>
              <td data-label="Last sign-in">
                <Time at={identity.lastSignInAt} />
              </td>
              <td class="row-actions">
                {identities.length > 1 && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Remove ${nameOf(identity)}`}
                    onClick={() => setUnlinking(identity)}
                  >
                    Remove
                  </button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {providers.length > 0 && (
        <div class="buttons">
          {providers.map(({ id, name }) => (
            <a key={id} class="button" href={linkAddress(id)}>
              Add {name}
            </a>
          ))}
        </div>
      )}
      {unlinking && <Unlink identity={unlinking} onClose={() => setUnlinking(undefined)} />}
    </Card>
  );
}

function linkAddress(provider: string): string {
  return `/auth/start?${new URLSearchParams({ provider, link: '1', return_to: '/dashboard/settings/you' })}`;
}

interface UnlinkProps {
  readonly identity: Identity;
  readonly onClose: () => void;
}

function Unlink({ identity, onClose }: UnlinkProps) {
  const client = useQueryClient();
  const unlink = async () => {
    const { issuer, subject } = identity;
    await ask('DELETE', 'identities', { issuer, subject });
    announce(`Removed ${nameOf(identity)}.`);
    await client.invalidateQueries();
  };
  return (
    <Confirm
      title={`Remove ${nameOf(identity)}?`}
      verb="Remove"
      kind="danger"
      work={unlink}
      onClose={onClose}
    >
      <p>You can no longer sign in with it, and sessions that it began end at once.</p>
    </Confirm>
  );
}

const nameOf = ({ providerName, issuer }: Identity) => providerName ?? issuer;
