/** A pool that tries again while Postgres has no free connection: its other clients may soon give one back. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hasCode } from '../error-code.ts';
import { steadyNow } from '../steady-clock.ts';

/** SQLSTATE of too_many_connections. */
const TOO_MANY = '53300';
const AGAIN_MS = 50;

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

export class RetryingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connected = patiently(() => super.connect(), this);
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
}

/** Connects, and tries again for as long as a caller waits for a busy connection of the pool. */
async function patiently(connect: () => Promise<pg.PoolClient>, pool: pg.Pool): Promise<pg.PoolClient> {
  const endsAt = steadyNow() + (pool.options.connectionTimeoutMillis ?? 0);
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!hasCode(error, TOO_MANY) || pool.ending || steadyNow() > endsAt) throw error;
      await delay(AGAIN_MS * (0.5 + Math.random()));
    }
  }
}
