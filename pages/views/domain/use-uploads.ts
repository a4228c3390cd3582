/** The uploads of a domain, as people see them. */
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { foldChecks } from './fold-checks.ts';

/** The first 20, the newest first. */
export function useUploads(id: string) {
  const { list, rows } = useRows<UploadAttempt>(
    domainKey(id, 'uploads'),
    `${domainPath(id, 'uploads')}?limit=20`,
  );
  return { list, rows: foldChecks(rows, list.hasNextPage) };
}
