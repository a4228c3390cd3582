/** The commands for accounts. */
import type { Command } from 'commander';
import { domainLife } from '../compose/domain-life.ts';
import {
  type Account,
  findPosition,
  type ListedAccount,
  listAccounts,
} from '../features/accounts/account-store.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import { type AccountSettings, changeAccount, registerAccount } from '../features/accounts/change-account.ts';
import { showPlans } from '../features/accounts/open-plans.ts';
import { parseRef } from '../features/accounts/parse-account.ts';
import { listPlanRows } from '../features/accounts/plan-store.ts';
import {
  isPlanName,
  PLAN_NAMES,
  type PlanLimits,
  type PlanName,
  readPlans,
} from '../features/accounts/plans.ts';
import { parseShortText } from '../features/accounts/short-text.ts';
import { deleteAccount } from '../features/domains/delete-account.ts';
import { type AccountUsage, sumUsage } from '../features/uploads/sum-usage.ts';
import { newId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase, withSites } from './connect.ts';
import { getAccount } from './get-domain.ts';
import { addInviteCommand } from './invite-command.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { printTable, shownCount, shownTime, withoutControls } from './print-table.ts';
import { WHERE } from './site-commands.ts';
import { noAccount, requireYes, UsageError } from './usage-error.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('create, show, change and delete accounts');
  account
    .command('create')
    .description('create an account and print its id')
    .argument('<name>', 'a name for people to read')
    .option('--plan <plan>', PLAN_NAMES.join(', '), 'free')
    .option('--ref <ref>', 'the name of the account at your own systems')
    .action(async (name: string, { plan, ref }: { plan: string; ref?: string }) => {
      const planName = parsePlan(plan);
      const account = await withDatabase((database) =>
        registerAccount({ database, newId }, COMMAND_LINE, {
          name: parseShortText('name', name),
          plan: planName,
          ref: ref === undefined ? null : parseRef(ref),
        }),
      );
      print(account.id);
    });
  account
    .command('list')
    .description('list accounts, the oldest first')
    .option(...limitOption())
    .option('--after <account-id>', 'those that come after this one')
    .option(...JSON_OPTION)
    .action(({ after, ...options }: ListOptions & { after?: string }) =>
      withDatabase(async (database) => {
        const begin = after === undefined ? undefined : await findPosition(database, after);
        if (after !== undefined && begin === undefined) throw noAccount(after);
        await printList<ListedAccount>(options, {
          read: (limit, last) => listAccounts(database, limit, last?.position ?? begin),
          head: ['id', 'name', 'plan', 'created', 'suspended'],
          cellsOf: (one) => [
            one.id,
            one.name,
            one.plan,
            shownTime(one.createdAt),
            shownTime(one.suspendedAt),
          ],
        });
      }),
    );
  account
    .command('show')
    .description('show an account, its usage and the limits of its plan')
    .argument('<account-id>')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nIf PLANS or UPLOADS_PER_ACCOUNT are set for the API, set them for this command too.',
    )
    .action(async (id: string, { json }: JsonOption) => {
      const shown = await withDatabase(async (database, _log, config) => {
        const found = await getAccount(database, id);
        const plans = showPlans(readPlans(config.PLANS), await listPlanRows(database));
        const limits = {
          ...plans.find(({ name }) => name === found.plan)!.limits,
          uploadsUnderWay: config.UPLOADS_PER_ACCOUNT,
        };
        return { ...found, usage: await sumUsage(database, id), limits };
      });
      if (json) printJson(shown);
      else printAccount(shown);
    });
  account
    .command('set-plan')
    .description('change the plan of an account, from its next request on')
    .argument('<account-id>')
    .argument('<plan>', PLAN_NAMES.join(', '))
    .action(async (id: string, plan: string) => {
      const planName = parsePlan(plan);
      await withDatabase((database) => change(database, id, { plan: planName }));
      print(`${id} is now on the ${planName} plan.`);
    });
  account
    .command('suspend')
    .description('refuse all requests of an account with 403; its sitemaps stay served')
    .argument('<account-id>')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nTakes effect with the next request. Uploads under way are refused at the end, before they are published.',
    )
    .action((id: string, { json }: JsonOption) => suspend(id, true, json));
  account
    .command('resume')
    .description('end the suspension of an account')
    .argument('<account-id>')
    .option(...JSON_OPTION)
    .action((id: string, { json }: JsonOption) => suspend(id, false, json));
  addInviteCommand(account);
  account
    .command('delete')
    .description('permanently delete an account with its keys, domains and sitemaps')
    .argument('<account-id>')
    .option('--yes', 'confirm the deletion')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
The account is suspended first. If the command is interrupted, run it again to delete the rest. Jobs delete the files
from the object storage after KEEP_REPLACED_MS.
${WHERE}`,
    )
    .action(async (id: string, { yes, json }: JsonOption & { yes?: boolean }) => {
      requireYes(yes, `${id} with its keys, domains and sitemaps`);
      const hostnames = await withSites(async ({ database, sites, log }) => {
        const deleted = await deleteAccount({ ...domainLife(sites), database }, id);
        if (deleted === undefined) throw noAccount(id);
        log.info({ accountId: id, domains: deleted.length }, 'account deleted');
        return deleted;
      });
      if (json) printJson({ id, deleted: true, hostnames });
      else print(`${id} is deleted, with these domains: ${hostnames.join(', ') || 'none'}.`);
    });
}

async function suspend(id: string, isSuspended: boolean, json: boolean | undefined): Promise<void> {
  const account = await withDatabase(async (database, log) => {
    const changed = await change(database, id, { isSuspended });
    log.info({ accountId: id }, isSuspended ? 'account suspended' : 'account resumed');
    return changed;
  });
  if (json) printJson(account);
  else print(`${id} is ${stateOf(account)}.`);
}

/** Throws UsageError when there is no such account. */
async function change(database: Database, id: string, wanted: Partial<AccountSettings>): Promise<Account> {
  const changed = await changeAccount(database, COMMAND_LINE, id, wanted);
  if (changed === undefined) throw noAccount(id);
  return changed;
}

interface UsedAccount extends Account {
  readonly usage: AccountUsage;
  readonly limits: PlanLimits & { readonly uploadsUnderWay: number };
}

function printAccount(account: UsedAccount): void {
  const { id, name, plan, createdAt, usage, limits } = account;
  print(`${id}  ${withoutControls(name)}`);
  print(`plan ${plan}, created ${isoSeconds(createdAt)}, ${stateOf(account)}`);
  printTable(
    ['', 'used', 'allowed'],
    [
      ['domains', shownCount(usage.domains), shownCount(limits.domains)],
      ['sitemaps', shownCount(usage.sitemaps), `${shownCount(limits.sitemapsPerDomain)} per domain`],
      ['URLs', shownCount(usage.urls), `${shownCount(limits.urlsPerUpload)} per upload`],
      ['stored bytes', shownCount(usage.storedBytes), shownCount(limits.storedBytes)],
      ['valid keys', shownCount(usage.keys), ''],
      ['uploads under way', shownCount(usage.uploadsUnderWay), shownCount(limits.uploadsUnderWay)],
      ['requests', '', `${shownCount(limits.requestsPerMinute)} per minute`],
    ],
  );
}

function stateOf({ suspendedAt }: Account): string {
  return suspendedAt === null ? 'in use' : `suspended since ${isoSeconds(suspendedAt)}`;
}

function parsePlan(text: string): PlanName {
  if (isPlanName(text)) return text;
  throw new UsageError(`There is no plan ${text}. Plans: ${PLAN_NAMES.join(', ')}.`);
}
