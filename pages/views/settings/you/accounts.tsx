/** The accounts of the person, with buttons to switch between them. */
import type { AccountChoice } from '../../../../src/edges/dashboard/wire.ts';
import { switchAccount } from '../../../api/switch-account.ts';
import { Action } from '../../../parts/action.tsx';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { capital } from '../../../parts/format.ts';
import { Table } from '../../../parts/table.tsx';

export interface AccountsProps {
  readonly accounts: readonly AccountChoice[];
  /** The id of the open account. */
  readonly current: string;
}

export function Accounts({ accounts, current }: AccountsProps) {
  return (
    <Card title="Your accounts">
      <Table
        label="Your accounts"
        asCards
        head={['Account', 'Your role', { name: 'Actions', isNumber: true }]}
      >
        {accounts.map(({ id, name, role }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td class="nowrap" data-label="Your role">
              {capital(role)}
            </td>
            <td class="row-actions">
              {id === current ? (
                <Chip tone="good">Open</Chip>
              ) : (
                <Action kind="small" label={`Switch to ${name}`} work={() => switchAccount(id)}>
                  Switch
                </Action>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
