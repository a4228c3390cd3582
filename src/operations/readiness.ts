/**
 * Whether a process can do its work now:
 *
 *   starting --began-->  checked    ready if every dependency answers within the deadline, else unavailable
 *   any      --ending--> draining   the process still finishes the work under way
 */
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { SingleFlight } from '../platform/concurrency/single-flight.ts';
import type { Log } from '../platform/log.ts';
import { ConfigError } from '../platform/process/config-error.ts';

/** The deadline of the checks. A probe waits this long, and a busy dependency answers within it. */
const DEADLINE_MS = 2000;

/** Resolves if the dependency is usable; rejects otherwise. */
export type Check = () => Promise<unknown>;

/** Checks by the names that the answer and the log show. */
export type Checks = Readonly<Record<string, Check>>;

export type Verdict =
  | { readonly status: 'ready' | 'starting' | 'draining' }
  | {
      readonly status: 'unavailable';
      readonly failing: readonly string[];
      /** The reasons by name, for failures that the operator must fix. */
      readonly reasons?: Readonly<Record<string, string>>;
    };

export class Readiness {
  readonly #log: Log;
  #checks: Checks = {};
  /** Single flight: a dependency that hangs gets no further checks. */
  readonly #underWay = new SingleFlight<unknown>();
  /** The failing checks by name. The value is the reason if the operator must fix it. */
  readonly #failing = new Map<string, string | undefined>();
  #status: 'starting' | 'checked' | 'draining' = 'starting';

  constructor(log: Log) {
    this.#log = log;
  }

  begin(checks: Checks): void {
    this.#checks = checks;
    this.#status = 'checked';
  }

  drain(): void {
    this.#status = 'draining';
  }

  async judge(): Promise<Verdict> {
    if (this.#status !== 'checked') return { status: this.#status };
    await Promise.all(Object.entries(this.#checks).map(([name, check]) => this.#judge(name, check)));
    if (this.#failing.size === 0) return { status: 'ready' };
    const failing = [...this.#failing.keys()].sort();
    const reasons = [...this.#failing].flatMap(([name, reason]) =>
      reason === undefined ? [] : [[name, reason]],
    );
    return {
      status: 'unavailable',
      failing,
      ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
    };
  }

  async #judge(name: string, check: Check): Promise<void> {
    try {
      await withinDeadline(this.#underWay.join(name, check), DEADLINE_MS);
      if (this.#failing.delete(name)) this.#log.info({ dependency: name }, 'reachable again');
    } catch (err) {
      const reason = err instanceof ConfigError ? err.message : undefined;
      const isKnown = this.#failing.has(name) && this.#failing.get(name) === reason;
      if (!isKnown) this.#log.warn({ err, dependency: name }, 'not ready');
      this.#failing.set(name, reason);
    }
  }
}
