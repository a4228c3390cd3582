/** The name of the account, and a menu that switches to another account of the person. */
import type { AccountChoice } from '../../src/edges/dashboard/wire.ts';
import { switchAccount } from '../api/switch-account.ts';
import { Action } from '../parts/action.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';

export interface AccountNameProps {
  readonly account: AccountChoice;
  readonly accounts: readonly AccountChoice[];
}

export function AccountName({ account, accounts }: AccountNameProps) {
  const others = accounts.filter(({ id }) => id !== account.id);
  if (others.length === 0) {
    return (
      // A name from right to left is cut at its left end.
      <a class="top-account" dir="auto" href="/dashboard/settings/plan" title={account.name}>
        {account.name}
      </a>
    );
  }
  return (
    <div class="top-account-choice">
      <Menu
        label={`Account: ${account.name}`}
        button={
          <>
            <span class="cut-name" dir="auto">
              {account.name}
            </span>{' '}
            <Icon name="down" />
          </>
        }
      >
        <p>Switch to</p>
        {others.map(({ id, name }) => (
          <Action key={id} work={() => switchAccount(id)}>
            {name}
          </Action>
        ))}
      </Menu>
    </div>
  );
}
