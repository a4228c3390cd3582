/** The names of the senders of uploads: keys, people or schedules. */
import { useQuery } from '@tanstack/preact-query';
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { keysQuery, membersQuery } from '../../api/queries.ts';

export type NameOf = (by: Pick<UploadAttempt, 'keyId' | 'userId' | 'load'>) => string;

const STALE_MS = 60_000;

/** Returns a function that names the sender of an upload. If the name is not known, the function says "a key" or "a person". */
export function useNames(): NameOf {
  const keys = useQuery({ ...keysQuery, staleTime: STALE_MS });
  const members = useQuery({ ...membersQuery, staleTime: STALE_MS });
  return ({ keyId, userId, load }) => {
    if (load?.scheduled) return 'its schedule';
    // While the names are loading, say nothing: "a key" would be wrong.
    if ((keyId === null ? members : keys).isPending) return '';
    if (keyId !== null) return keys.data?.find(({ id }) => id === keyId)?.name ?? 'a key';
    return members.data?.members.find((member) => member.userId === userId)?.name ?? 'a person';
  };
}
