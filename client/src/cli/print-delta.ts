/** Prints what a delta changed. */
import type { AppliedDeltas } from '../client.ts';
import type { Output } from './output.ts';

export function printDelta(out: Output, applied: AppliedDeltas): void {
  out.printJson(applied);
  const { deltaIds, added, changed, unchanged, removed, missing, urlCount, dryRun } = applied;
  if (deltaIds.length === 0) {
    out.say('There are no operations, so nothing was sent.');
    return;
  }
  out.print(outcomeOf(applied));
  out.printTable(
    ['ADDED', 'CHANGED', 'UNCHANGED', 'REMOVED', 'MISSING', 'URLS'],
    [[added, changed, unchanged, removed, missing, urlCount]],
  );
  if (!dryRun && applied.sitemapUrl !== undefined) out.print(applied.sitemapUrl);
  if (applied.servedNote !== undefined) out.say(applied.servedNote);
}

function outcomeOf({
  deltaIds,
  dryRun,
  filesChanged,
  filesGenerated = 0,
  generation,
}: AppliedDeltas): string {
  const number = generation === undefined ? '' : `, generation ${generation}`;
  if (filesChanged === 0) return `${dryRun ? 'Dry run: nothing would change' : 'Nothing changed'}${number}.`;
  const count = deltaIds.length;
  // A file that several deltas change counts in each of them, so this text has no number of files.
  if (count > 1)
    return dryRun
      ? `Dry run: ${count} deltas would be published. Nothing was changed.`
      : `Published ${count} deltas${number}.`;
  const files = `${filesChanged.toLocaleString('en-US')} of ${counted(filesGenerated)}`;
  return dryRun ? `Dry run: ${files} would change. Nothing was changed.` : `Changed ${files}${number}.`;
}

function counted(files: number): string {
  return `${files.toLocaleString('en-US')} file${files === 1 ? '' : 's'}`;
}
