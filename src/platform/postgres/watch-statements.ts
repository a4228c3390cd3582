/** Observes the beginning and end of each statement on a connection. */
import type pg from 'pg';

/** `error`: why the statement failed, if it did. */
type End = (error?: unknown) => void;

/**
 * Calls `begin` for each statement. When the statement has its answer, calls the function that `begin` returned. A client's `query` answers
 * by callback (the pool uses this) or by promise. A stream, as of COPY, is not observed.
 */
export function watchStatements(client: pg.ClientBase, begin: () => End): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]): unknown => {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const end = begin();
      return query(...args.slice(0, -1), (error: unknown, result: unknown) => {
        end(error);
        callback(error, result);
      });
    }
    const answer = query(...args);
    if (!(answer instanceof Promise)) return answer;
    const end = begin();
    answer.then(() => end(), end);
    return answer;
  };
  client.query = watched as typeof client.query;
}
