/**
 * Watches the account for changes. One small request tells whether anything has changed. Only then the pages read again. The request is
 * frequent while a page waits for a change or an upload runs, and rare at rest. A hidden tab sends none.
 */
import { type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import type { Live } from '../../src/edges/dashboard/wire.ts';
import { atMost } from './at-most.ts';
import { inPace } from './in-pace.ts';
import { inTurn } from './in-turn.ts';
import { liveQuery } from './queries.ts';

const MOVING_MS = 1500;
/** The pause while an upload is under way, but no page of this tab waits for a change. */
const UPLOADING_MS = 5000;
const AT_REST_MS = 15_000;

/**
 * The queries that `renewAll` leaves out, by the first member of their keys. `live` has an interval of its own. The URLs of a generation
 * and the beginning of a file stay as they are. A person asks for the test of a connection, and for the look at a hostname: both ask
 * servers of others.
 */
const NEVER_OLD = new Set<unknown>(['live', 'urls', 'preview', 'connection-trial', 'hostname']);

/**
 * The pace of readings. A page reads some ten answers, and a person may read 300 in a minute. In an account that changes all the time, one
 * visible page would use up more than that.
 */
const PACE = { atOnce: 4, everyMs: 12_000 };

/** The longest time in which a new reading waits for the one before it. A read that fails is repeated for as long as it fails. */
const READING_MS = 30_000;

/**
 * Reads again all that the pages show, except `NEVER_OLD`, and waits for the answers. It drops reads that are under way. So it runs one at
 * a time: in an account that changes all the time, a long list would never be read to its end.
 */
export const renewAll = inTurn((client: QueryClient) => atMost(readAgain(client), READING_MS));

/** Reads all to the end, where our `invalidateQueries` would stop waiting after some seconds (`query-client.ts`). */
async function readAgain(client: QueryClient): Promise<void> {
  const old = { predicate: ({ queryKey }: Query) => !NEVER_OLD.has(queryKey[0]) };
  await client.invalidateQueries({ ...old, refetchType: 'none' });
  await client.refetchQueries({ ...old, type: 'active' });
}

const renewInPace = inPace(renewAll, PACE);

/** Pages that wait for a change. */
const waiting = new Set<symbol>();

/** Sends the request often while `isMoving`, for example while a domain gets its certificate. */
export function useMoving(isMoving: boolean): void {
  useEffect(() => {
    if (!isMoving) return undefined;
    const me = Symbol('page');
    waiting.add(me);
    return () => void waiting.delete(me);
  }, [isMoving]);
}

/**
 * Returns the last answer; undefined before the first one. `isLive`: false in a suspended account, because requests about its state are
 * refused.
 */
export function useLive(isLive = true): Live | undefined {
  const client = useQueryClient();
  const { data } = useQuery({
    ...liveQuery,
    enabled: isLive,
    refetchInterval: ({ state }) => {
      if (waiting.size > 0) return MOVING_MS;
      return (state.data?.running.length ?? 0) > 0 ? UPLOADING_MS : AT_REST_MS;
    },
  });
  const seen = useRef<string>();
  useEffect(() => {
    if (data === undefined) return;
    if (seen.current !== undefined && seen.current !== data.version) {
      renewInPace(client);
    }
    seen.current = data.version;
  }, [client, data]);
  return data;
}
