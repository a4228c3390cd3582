/**
 * Makes one row of a refused upload and its check. An upload stops soon after its first mistake, so the page that sent it reads the file
 * once more, without publishing, to find all of them. The record of this check has all mistakes, so it stands for both.
 */
import type { UploadAttempt } from '../../../client/src/answers.ts';

/** `rows`: the newest first. `hasMore`: whether older ones are not read yet. Checks of programs stay, and those that a person asked for. */
export function foldChecks(rows: readonly UploadAttempt[], hasMore: boolean): readonly UploadAttempt[] {
  const folded = new Set<UploadAttempt>();
  return rows.flatMap((row, i) => {
    if (folded.has(row)) return [];
    if (row.outcome !== 'dry_run' || row.userId === null || row.errors.length === 0) return [row];
    // Its refusal may be the next row, which comes with the next page.
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

/** It tells files apart: it has the place and the value. */
const firstMistake = ({ form, encoding, errors }: UploadAttempt) =>
  JSON.stringify([form, encoding, errors[0]]);
