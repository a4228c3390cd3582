/** The menu of the person: name, email address, personal settings, and the button that signs out. */
import { useQueryClient } from '@tanstack/preact-query';
import type { SessionState } from '../../src/edges/dashboard/wire.ts';
import { signOut } from '../api/sign-out.ts';
import { useWork } from '../parts/action.tsx';
import { Fault } from '../parts/fault.tsx';
import { Menu } from '../parts/menu.tsx';
import { useSignOut } from '../parts/use-sign-out.tsx';

export function PersonMenu({ user: { name, email } }: Pick<SessionState, 'user'>) {
  const client = useQueryClient();
  const { begin, question } = useSignOut(() => signOut(client));
  const { isBusy, error, run } = useWork(begin);
  return (
    <>
      <Menu
        kind="avatar"
        button={
          <>
            <span aria-hidden="true">{initials(name)}</span>
            <span class="unseen">You, {name}</span>
          </>
        }
      >
        <p>
          {name}
          {email && <span class="below">{email}</span>}
        </p>
        <a href="/dashboard/settings/you">You</a>
        <button type="button" aria-disabled={isBusy} onClick={run}>
          Sign out
        </button>
        <Fault>{error && `You are still signed in. ${error}`}</Fault>
      </Menu>
      {question}
    </>
  );
}

/** Returns the initials of a name, as in MK for Maria Keller. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? '')][0] ?? '',
  );
  return letters.join('').toUpperCase();
}
