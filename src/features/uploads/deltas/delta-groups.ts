/**
 * Publishes deltas in groups: deltas of one sitemap that come while another one is published form the next group. So a thousand clients
 * that change a row each cost a few generations.
 */
import { GroupedCalls, type Outcome } from '../../../platform/concurrency/grouped-calls.ts';
import { UsedLately } from '../../../platform/concurrency/used-lately.ts';
import type { Log } from '../../../platform/log.ts';
import { isFaultOfMember } from '../../../platform/postgres/database.ts';
import { ThreadDied } from '../../../platform/process/asking-thread.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { placeOf } from '../publishing/publish-state.ts';
import { DamagedBase } from './apply-deltas.ts';
import type { Delta, PublishedDelta } from './delta.ts';
import { DeltaPace, PACE_MS } from './delta-pace.ts';
import { type PublishDeltasOptions, publishDeltas } from './publish-deltas.ts';

const MOST_DELTAS = 1000;

/** Throws as `publishDeltas` does, but Refusal CONFLICT if a file of the sitemap is missing or damaged. */
export type PublishDelta = (delta: Delta) => Promise<PublishedDelta>;

export interface DeltaGroupsOptions extends PublishDeltasOptions {
  readonly log: Log;
  /** When the deltas of a sitemap have written more than this in a minute, the next deltas wait. */
  readonly bytesPerMinute: number;
}

export function createPublishDelta(options: DeltaGroupsOptions): PublishDelta {
  // Keep the pace and the sizes of groups between two deltas, too, because one client sends its deltas one after the other.
  const sitemaps = new UsedLately<GroupedCalls<Delta, PublishedDelta>>(PACE_MS);
  return async (delta) => {
    const place = placeOf({ domainId: delta.domain.id, sitemapName: delta.sitemapName });
    return sitemaps.use(
      place,
      () => groupsOf(options),
      async (groups) => {
        const published = await groups.run(delta).catch((error) => {
          throw error instanceof DamagedBase ? refusedFor(error, delta, options.log) : error;
        });
        if (published.isSiteDue && !delta.dryRun) await options.writeSite(delta.domain.hostname);
        return published;
      },
    );
  };
}

/** To send the delta again does not help, and only the client can replace the file. The operator must hear of it, too. */
function refusedFor(err: DamagedBase, { domain: { hostname }, sitemapName }: Delta, log: Log): Refusal {
  log.error({ err, hostname, sitemapName }, 'a delta changes a file that is missing or damaged');
  const message =
    'A file of this sitemap is missing or damaged. Upload the whole list with "placement": "order" and "force": true, which writes all files again.';
  return new Refusal('CONFLICT', message);
}

function groupsOf({ bytesPerMinute, ...options }: DeltaGroupsOptions): GroupedCalls<Delta, PublishedDelta> {
  const pace = new DeltaPace(bytesPerMinute);
  const paced = { ...options, onWritten: (bytes: number) => pace.wrote(bytes) };
  const publishWhenItMay = async (deltas: readonly Delta[]) => {
    await pace.wait();
    return publishInOrder(paced, deltas);
  };
  // GroupedCalls tries nothing again, because `publishInOrder` itself tries the members of a failed group again.
  return new GroupedCalls(publishWhenItMay, {
    most: MOST_DELTAS,
    gathers: MOST_DELTAS,
    isOfMember: () => false,
  });
}

/** Publishes deltas in their order. A delta with terms of its own is published alone. */
async function publishInOrder(
  options: PublishDeltasOptions,
  deltas: readonly Delta[],
): Promise<Outcome<PublishedDelta>[]> {
  const outcomes: Outcome<PublishedDelta>[] = [];
  for (const run of runsOf(deltas)) outcomes.push(...(await publishRun(options, run)));
  return outcomes;
}

/** Publishes deltas as one group. If one of them may have failed the group, publishes each half of them as a group of its own. */
async function publishRun(
  options: PublishDeltasOptions,
  deltas: readonly Delta[],
): Promise<Outcome<PublishedDelta>[]> {
  try {
    return (await publishDeltas(options, deltas)).map((value) => ({ value }));
  } catch (error) {
    if (deltas.length === 1 || !mayBeOfMember(error)) return deltas.map(() => ({ error }));
  }
  const middle = Math.ceil(deltas.length / 2);
  const first = await publishRun(options, deltas.slice(0, middle));
  return [...first, ...(await publishRun(options, deltas.slice(middle)))];
}

function runsOf(deltas: readonly Delta[]): Delta[][] {
  const runs: Delta[][] = [];
  let isOpen = false;
  for (const delta of deltas) {
    const isPlainOne = isPlain(delta);
    if (isPlainOne && isOpen) runs.at(-1)!.push(delta);
    else runs.push([delta]);
    isOpen = isPlainOne;
  }
  return runs;
}

function isPlain({ terms: { ifGeneration, force }, dryRun, onMissing }: Delta): boolean {
  return ifGeneration === undefined && !force && !dryRun && onMissing === 'ignore';
}

/**
 * Whether the error may concern only one member of a group, so the others may succeed: a refusal, a value that Postgres does not take, a
 * damaged file that only one member needs, or a thread that died. A sitemap that is busy concerns all: each member alone waits as long as
 * the group has waited.
 */
function mayBeOfMember(error: unknown): boolean {
  return (
    (error instanceof Refusal && error.code !== 'SERVICE_UNAVAILABLE') ||
    error instanceof DamagedBase ||
    error instanceof ThreadDied ||
    isFaultOfMember(error)
  );
}
