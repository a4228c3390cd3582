/** Reads the uploads of a domain as people see them: a refused upload and its check are one row. */
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { foldChecks } from './fold-checks.ts';

/** Returns the rows that were read so far, the newest first. A page of the list has 20. */
export function useUploads(id: string) {
  const { list, rows } = useRows<UploadAttempt>(
    domainKey(id, 'uploads'),
    `${domainPath(id, 'uploads')}?limit=20`,
  );
  return { list, rows: foldChecks(rows, list.hasNextPage) };
}
