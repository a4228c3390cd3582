/** The commands for the limits of plans. */
import type { Command } from 'commander';
import { COMMAND_LINE, nameOfOperator } from '../features/accounts/actor.ts';
import { type ShownPlan, showPlans } from '../features/accounts/open-plans.ts';
import { parseLimits, parsePlanName } from '../features/accounts/parse-account.ts';
import { deletePlanRow, listPlanRows, putPlanRow } from '../features/accounts/plan-store.ts';
import { LIMIT_NAMES, PLAN_NAMES, readPlans } from '../features/accounts/plans.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';

const WORD = /^(\w+)=(\d+)$/;

export function addPlanCommands(program: Command): void {
  const plan = program.command('plan').description('show and set the limits of plans');
  plan
    .command('list')
    .description('list the plans, with an asterisk at each limit that is set over the setting PLANS')
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const plans = await withDatabase(async (database, _log, config) =>
        showPlans(readPlans(config.PLANS), await listPlanRows(database)),
      );
      if (json) printJson(plans);
      else printPlans(plans);
    });
  plan
    .command('set')
    .description('set limits of a plan; those that are not given are those of the setting PLANS again')
    .argument('<plan>', PLAN_NAMES.join(', '))
    .argument('<limit...>', `as in domains=20: ${LIMIT_NAMES.join(', ')}`)
    .addHelpText('after', '\nRunning processes know them within 3 seconds.')
    .action(async (name: string, given: readonly string[]) => {
      await withDatabase(async (database) => {
        const limits = new Map(
          given.map((word) => [WORD.exec(word)?.[1] ?? word, Number(WORD.exec(word)?.[2])]),
        );
        await putPlanRow(database, parsePlanName(name), parseLimits(limits), nameOfOperator(COMMAND_LINE));
      });
      print(`The limits of ${name} are set.`);
    });
  plan
    .command('reset')
    .description('take back what is set of a plan: all its limits are those of the setting PLANS again')
    .argument('<plan>', PLAN_NAMES.join(', '))
    .action(async (name: string) => {
      await withDatabase((database) => deletePlanRow(database, parsePlanName(name)));
      print(`The limits of ${name} are those of the setting.`);
    });
}

function printPlans(plans: readonly ShownPlan[]): void {
  printTable(
    ['plan', ...LIMIT_NAMES, 'changed', 'by'],
    plans.map(({ name, limits, set, changedAt, changedBy }) => [
      name,
      ...LIMIT_NAMES.map((limit) => `${shownCount(limits[limit])}${limit in set ? ' *' : ''}`),
      ...[shownTime(changedAt), changedBy ?? ''],
    ]),
  );
}
