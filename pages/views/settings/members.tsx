/** The members of the account, and the open invitations. */
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Member } from '../../../src/edges/dashboard/wire.ts';
import { membersQuery, signInQuery } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Invite } from './members/invite.tsx';
import { MemberTable } from './members/member-table.tsx';
import { OpenInvitations } from './members/open-invitations.tsx';

export function MembersPage() {
  const members = useQuery(membersQuery);
  const options = useQuery(signInQuery);
  const isOwner = useSession().data?.account.role === 'owner';
  const [isInviting, setInviting] = useState(false);
  const canInvite = isOwner && options.data !== undefined && options.data.providers.length > 0;
  return (
    <Page
      title="Members"
      actions={
        canInvite && (
          <button type="button" class="primary" onClick={() => setInviting(true)}>
            Invite
          </button>
        )
      }
    >
      <p class="quiet">
        Owners may do everything. Members may do everything but invite, remove and change people.
      </p>
      {isOwner && options.data?.providers.length === 0 && <NoProvider />}
      <WhenLoaded query={members}>
        {(people) => (
          <>
            <Card title={counted(people.members.length, 'person', 'people')}>
              <MemberTable members={people.members} isOwner={isOwner} />
              {!isOwner && <AskOwner members={people.members} />}
            </Card>
            {people.invitations.length > 0 && (
              <OpenInvitations invitations={people.invitations} isOwner={isOwner} />
            )}
          </>
        )}
      </WhenLoaded>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </Page>
  );
}

function AskOwner({ members }: { readonly members: readonly Member[] }) {
  const owners = members.filter(({ role }) => role === 'owner').map(({ name }) => name);
  return <p class="quiet">You are a member. To invite somebody, ask an owner: {owners.join(', ')}.</p>;
}

function NoProvider() {
  return (
    <p class="notice">
      <span>
        You cannot invite anybody yet, because people could not sign in: this service has no identity
        provider. Its operator sets one up with <code>OIDC_ISSUER</code>.
      </span>
    </p>
  );
}
