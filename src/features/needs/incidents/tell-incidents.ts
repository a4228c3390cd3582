/**
 * The job that tells people of new needs, and of needs that are over. One message has all new needs of one kind that a look at an account
 * finds. Another has all needs of one kind that are over. A portion of accounts is one transaction, so each need is told once, even if a
 * process dies.
 */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { Log } from '../../../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../../../platform/postgres/database.ts';
import { emitEvent } from '../../webhooks/emit-event.ts';
import type { NeedEntry } from '../../webhooks/events.ts';
import type { Topic } from '../../webhooks/mail/topics.ts';
import { CAUSES } from '../causes.ts';
import { wordNeed } from '../list-needs.ts';
import type { NeedKind } from '../need.ts';
import { findNeeds } from '../need-store.ts';
import {
  closeIncidents,
  type Difference,
  type DueAccount,
  findDifferences,
  openIncidents,
  putOffLook,
  type ToldWords,
  takeDueAccounts,
} from './incident-store.ts';

const ACCOUNTS_AT_ONCE = 100;
const NEEDS_IN_EVENT = 20;
/** The most bytes of the needs in an event. An event has at most 20 kB, and a need with long names has 1 kB or more. */
const MAX_NEEDS_BYTES = 18_000;

export async function tellIncidents(database: Database, log: Log): Promise<void> {
  while ((await tellPortion(database, log)) === ACCOUNTS_AT_ONCE);
}

/** Returns the number of accounts. If an account makes the look of all fail, each account is looked at by itself. */
async function tellPortion(database: Database, log: Log): Promise<number> {
  try {
    return await tell(database, log, ACCOUNTS_AT_ONCE);
  } catch (err) {
    log.warn({ err }, 'a look at the needs of many accounts failed: looking at each of them');
  }
  for (let looked = 0; looked < ACCOUNTS_AT_ONCE; looked++) {
    if ((await tell(database, log, 1)) === 0) return looked;
  }
  return ACCOUNTS_AT_ONCE;
}

/** Returns the number of accounts. Throws if the look at several accounts fails. If the look at a single one fails, puts it off. */
async function tell(database: Database, log: Log, limit: number): Promise<number> {
  let due: readonly DueAccount[] = [];
  try {
    await inTransaction(database, async (transaction) => {
      due = await takeDueAccounts(transaction, limit);
      await tellOf(transaction, log, await findDifferences(transaction, due));
    });
  } catch (err) {
    const [first, ...others] = due;
    if (first === undefined || others.length > 0) throw err;
    const { accountId } = first;
    await putOffLook(database, accountId);
    log.error({ err, accountId }, 'people are not told of the needs of an account');
  }
  return due.length;
}

async function tellOf(transaction: Transaction, log: Log, differences: readonly Difference[]): Promise<void> {
  for (const [accountId, ofAccount] of Map.groupBy(differences, (one) => one.accountId)) {
    const closed = ofAccount.filter(({ change }) => change === 'closed');
    const opened = ofAccount.filter(({ change }) => change === 'opened');
    if (closed.length > 0) await close(transaction, accountId, closed);
    if (opened.length > 0) await open(transaction, log, accountId, opened);
  }
}

async function close(
  transaction: Transaction,
  accountId: string,
  closed: readonly Difference[],
): Promise<void> {
  await closeIncidents(transaction, closed);
  const over = closed.filter(({ isOver, told }) => isOver && told !== null);
  for (const [kind, ofKind] of Map.groupBy(over, (one) => one.kind)) {
    const needs = firstNeeds(ofKind.map(({ domainId, told }) => ({ ...told!, domainId })));
    const event = { kind, count: ofKind.length, needs };
    await emitEvent(transaction, accountId, 'need.closed', event, topicOf(kind));
  }
}

async function open(
  transaction: Transaction,
  log: Log,
  accountId: string,
  opened: readonly Difference[],
): Promise<void> {
  const told = new Map<Difference, ToldWords>();
  const news = opened.filter(({ isFirst }) => !isFirst);
  for (const [kind, ofKind] of Map.groupBy(news, (one) => one.kind)) {
    const worded = await word(transaction, log, accountId, ofKind);
    const needs = firstNeeds([...worded.values()]);
    if (needs.length === 0) continue;
    const event = { kind, count: Math.max(ofKind.length, needs.length), needs };
    await emitEvent(transaction, accountId, 'need.opened', event, topicOf(kind));
    for (const [one, { domain, sitemapName, title }] of worded) told.set(one, { domain, sitemapName, title });
  }
  await openIncidents(
    transaction,
    opened.map((one) => ({ ...one, told: told.get(one) ?? null })),
  );
}

/** Returns the needs that an event has: the first ones, at least one. */
export function firstNeeds<Need>(needs: readonly Need[]): Need[] {
  let bytes = 0;
  return needs.slice(0, NEEDS_IN_EVENT).filter((need, i) => {
    bytes += Buffer.byteLength(JSON.stringify(need));
    return i === 0 || bytes <= MAX_NEEDS_BYTES;
  });
}

type Worded = NeedEntry & { readonly detail: string };

/** Returns the words of the needs of at most 200 domains, as the dashboard shows them. A need without words is absent. */
async function word(
  transaction: Transaction,
  log: Log,
  accountId: string,
  opened: readonly Difference[],
): Promise<Map<Difference, Worded>> {
  const domainIds = [...new Set(opened.map(({ domainId }) => domainId))].slice(0, 200);
  const { found } = await findNeeds(transaction, accountId, domainIds, 1000);
  const words = new Map<Difference, Worded>();
  for (const one of opened) {
    const need = found.find(
      ({ kind, domainId, subject }) =>
        kind === one.kind && domainId === one.domainId && subject === one.needSubject,
    );
    if (need === undefined) continue;
    try {
      const { title, detail, sitemapName } = wordNeed(need);
      const shown = sitemapName === null ? null : shownSitemapName(sitemapName);
      words.set(one, { domainId: one.domainId, domain: need.hostname, sitemapName: shown, title, detail });
    } catch (err) {
      // A need that cannot be worded must not keep people from hearing of all others.
      log.error({ err, accountId, kind: one.kind }, 'a need could not be said');
    }
  }
  return words;
}

function topicOf(kind: NeedKind): Topic {
  return CAUSES.find(({ kinds }) => kinds.includes(kind))!.told!.topic;
}
