/** Changes settings of a domain: its guard, where uploads put their entries, and whether a website uses its hostname. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import type { Domain } from './domain.ts';
import { type DomainSettings, setSetting } from './domain-store.ts';

/** Settings that are undefined stay. `onChanged` runs in the transaction for each setting whose value changes. */
export async function changeSettings(
  database: Database,
  { id }: Domain,
  wanted: { readonly [Name in keyof DomainSettings]: DomainSettings[Name] | undefined },
  onChanged: (transaction: Transaction, changed: Partial<DomainSettings>) => Promise<unknown>,
): Promise<void> {
  const names = (Object.keys(wanted) as (keyof DomainSettings)[]).filter(
    (name) => wanted[name] !== undefined,
  );
  if (names.length === 0) return;
  await inTransaction(database, async (transaction) => {
    for (const name of names) {
      const value = wanted[name]!;
      if (await setSetting(transaction, id, name, value)) await onChanged(transaction, { [name]: value });
    }
  });
}
