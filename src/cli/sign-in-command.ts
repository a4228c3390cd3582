/** Prints a one-time link to the dashboard. */
import type { Command } from 'commander';
import { listAccounts } from '../features/accounts/account-store.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import { createSignInLink } from '../features/accounts/create-sign-in-link.ts';
import { LINK_MINUTES } from '../features/accounts/link-store.ts';
import { newId } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getDashboardOrigin, readOwnDemo } from './dashboard-origin.ts';
import { noAccount, UsageError } from './usage-error.ts';

export function addSignInCommand(program: Command): void {
  program
    .command('sign-in')
    .description(`print a link that signs in to the dashboard, once, within ${LINK_MINUTES} minutes`)
    .option('--account <id>', "by default the all in one's demo account, or the only account")
    .addHelpText(
      'after',
      '\nThe link is for an owner that is nobody else: sign-in with a provider never makes it.',
    )
    .action(async ({ account }: { account?: string }) => {
      const link = await withDatabase(async (database, _log, config) => {
        const demo = await readOwnDemo(config);
        const accountId = account ?? demo?.accountId ?? (await onlyAccount(database));
        const origin = await getDashboardOrigin(config);
        const created = await createSignInLink({ database, newId }, accountId, origin, COMMAND_LINE);
        if (created === undefined) throw noAccount(accountId);
        return created;
      });
      print(link);
    });
}

async function onlyAccount(database: Database): Promise<string> {
  const [only, ...others] = await listAccounts(database, 2);
  if (only === undefined || others.length > 0)
    throw new UsageError('Say which account, with --account <id>. See: account list');
  return only.id;
}
