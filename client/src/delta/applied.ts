/** Adds up the answers to the portions of a delta. */
import type { AppliedDelta } from '../answers.ts';

const COUNTS = ['added', 'changed', 'unchanged', 'removed', 'missing', 'filesChanged'] as const;
type Counts = Pick<AppliedDelta, (typeof COUNTS)[number]>;

/**
 * The result of all portions. The counts are sums, so a URL or a file of several portions counts in each. All other members come from the
 * last answer, but in a dry run `urlCount` counts all portions. They are absent if there was nothing to send.
 */
export interface AppliedDeltas extends Counts, Partial<Omit<AppliedDelta, keyof Counts | 'deltaId'>> {
  /** The id of each portion's delta. */
  readonly deltaIds: readonly string[];
}

export const NOTHING_APPLIED: AppliedDeltas = {
  ...{ added: 0, changed: 0, unchanged: 0, removed: 0, missing: 0, filesChanged: 0 },
  deltaIds: [],
};

export function addAnswer(sum: AppliedDeltas, { deltaId, ...answer }: AppliedDelta): AppliedDeltas {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sum[name] + answer[name]]));
  // In a dry run, the service tries each portion on the same generation, so add what the earlier portions would change.
  const before = answer.dryRun ? sum.added - sum.removed : 0;
  return {
    ...answer,
    ...(counts as unknown as Counts),
    urlCount: answer.urlCount + before,
    deltaIds: [...sum.deltaIds, deltaId],
  };
}
