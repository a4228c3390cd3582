/**
 * Whether a process can do its work now:
 *
 *   starting --began-->  checked    what it depends on answers within the deadline, or does not
 *   any      --ending--> draining   it still finishes what is under way
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';

/** Short enough for a probe, long enough for a dependency that is busy. */
const DEADLINE_MS = 2000;

/** Resolves when what it looks at can be used. */
export type Check = () => Promise<unknown>;

export type Verdict =
  | { readonly status: 'ready' | 'starting' | 'draining' }
  | { readonly status: 'unavailable'; readonly failing: readonly string[] };

export class Readiness {
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #log: Log;
  /** Checks that were begun, by name: a dependency that hangs is not asked again and again. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #failing = new Set<string>();
  #status: 'starting' | 'checked' | 'draining' = 'starting';

  /** `checks`: by the name that an answer and the log give it. */
  constructor(checks: Readonly<Record<string, Check>>, log: Log) {
    this.#checks = new Map(Object.entries(checks));
    this.#log = log;
  }

  begin(): void {
    this.#status = 'checked';
  }

  drain(): void {
    this.#status = 'draining';
  }

  async judge(): Promise<Verdict> {
    if (this.#status !== 'checked') return { status: this.#status };
    await Promise.all(Array.from(this.#checks, ([name, check]) => this.#judge(name, check)));
    return this.#failing.size === 0
      ? { status: 'ready' }
      : { status: 'unavailable', failing: [...this.#failing].sort() };
  }

  async #judge(name: string, check: Check): Promise<void> {
    const deadline = new AbortController();
    try {
      await Promise.race([this.#join(name, check), passedDeadline(deadline.signal)]);
      if (this.#failing.delete(name)) this.#log.info({ dependency: name }, 'reachable again');
    } catch (err) {
      if (!this.#failing.has(name)) this.#log.warn({ err, dependency: name }, 'not ready');
      this.#failing.add(name);
    } finally {
      deadline.abort();
    }
  }

  #join(name: string, check: Check): Promise<unknown> {
    const joined = this.#underWay.get(name);
    if (joined !== undefined) return joined;
    const call = check().finally(() => this.#underWay.delete(name));
    // Whoever waited for it may have given up.
    call.catch(() => {});
    this.#underWay.set(name, call);
    return call;
  }
}

async function passedDeadline(signal: AbortSignal): Promise<never> {
  await delay(DEADLINE_MS, undefined, { signal });
  throw new Error(`no answer within ${DEADLINE_MS} ms`);
}
