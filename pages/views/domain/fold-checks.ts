/**
 * Makes one row of a refused upload and its check. An upload stops soon after its first mistake, so the page that sent it reads the file
 * once more, without publishing, to find all mistakes. The record of this check has all mistakes, so its row replaces both.
 */
import type { UploadAttempt } from '../../../client/src/answers.ts';

/** `rows`: the newest first. `hasMore`: whether older ones are not read yet. A check that a program or a person asked for keeps its row. */
export function foldChecks(rows: readonly UploadAttempt[], hasMore: boolean): readonly UploadAttempt[] {
  const folded = new Set<UploadAttempt>();
  return rows.flatMap((row, i) => {
    if (folded.has(row)) return [];
    if (row.outcome !== 'dry_run' || row.userId === null || row.errors.length === 0) return [row];
    // The row of the refusal may be the first one of the next page.
    if (hasMore && i === rows.length - 1) return [];
    const former = rows.slice(i + 1).find(isOfSame(row));
    if (former?.outcome !== 'refused' || firstMistake(former) !== firstMistake(row)) return [row];
    folded.add(former);
    return [{ ...row, outcome: former.outcome, startedAt: former.startedAt }];
  });
}

const isOfSame =
  ({ userId, sitemapName }: UploadAttempt) =>
  (other: UploadAttempt) =>
    other.userId === userId && other.sitemapName === sitemapName;

/** Returns a text that tells files apart, because it has the place and the value of the first mistake. */
const firstMistake = ({ form, encoding, errors }: UploadAttempt) =>
  JSON.stringify([form, encoding, errors[0]]);
