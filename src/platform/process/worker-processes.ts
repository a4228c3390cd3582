/**
 * Runs several processes of the same program on the same ports. The primary answers no requests: it starts workers,
 * replaces those that end, and tells them to stop. docs/decisions/0012 has the reasons for this design.
 *
 *   starting --listens--> serving   one of `count`
 *   starting --ends-->    ended     retried after a growing pause; in the initial start, ends the primary instead
 *   serving  --ends-->    ended     replaced, after a pause if it served only briefly
 *   serving  --told-->    draining  finishes requests under way; its successor already listens, or all workers stop
 *   draining --ends-->    ended
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { ReportedElsewhere } from './run-process.ts';

export interface WorkerProcessesOptions {
  readonly count: number;
  /** The number of ports on which each worker listens. */
  readonly ports: number;
  /** A worker that is still alive this long after it was told to stop is killed. */
  readonly stopTimeoutMs: number;
  readonly log: Log;
}

/** A worker that served this long is able to start, so its replacement starts without a pause. */
const STEADY_MS = 10_000;
/** Pauses before a start: 0.1, 0.2, 0.4 … 25.6, then 30 s. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

const STOP = 'stop';

/**
 * Stops a worker by a message of the primary, not by a signal: Ctrl+C has reached the workers too, and a second signal skips their orderly
 * shutdown.
 */
export function stopWhenPrimarySays(stop: () => void): void {
  process.on('message', (message) => {
    if (message === STOP) stop();
  });
  // A terminal sends SIGHUP to all its processes. For us, the signal means a rolling restart, and only the primary performs that.
  process.on('SIGHUP', () => {});
}

export class WorkerProcesses implements AsyncDisposable {
  readonly #options: WorkerProcessesOptions;
  /** Workers that are replaced when they end. */
  readonly #serving = new Set<Worker>();
  #exits = 0;
  /** Workers that take requests, including one that will stop once its successor listens. */
  readonly #listening = new Set<Worker>();
  readonly #ending = new AbortController();
  #isRestartWanted = false;
  #isRestarting = false;

  private constructor(options: WorkerProcessesOptions) {
    this.#options = options;
  }

  /** The number of workers that ended without being told to. */
  get exits(): number {
    return this.#exits;
  }

  /**
   * Resolves when all workers listen. The first one starts alone, so that a failure to start is reported only once. Throws
   * ReportedElsewhere if a worker ends before it listens.
   */
  static async start(options: WorkerProcessesOptions): Promise<WorkerProcesses> {
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const workers = new WorkerProcesses(options);
    try {
      await workers.#add();
      await Promise.all(Array.from({ length: options.count - 1 }, () => workers.#add()));
      options.log.info({ primary: process.pid, workers: pidsOf(workers.#serving) }, 'workers listen');
      return workers;
    } catch (error) {
      await workers[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Throws if no worker takes requests: all have ended, and no successor listens yet. */
  async check(): Promise<void> {
    if (this.#listening.size === 0) throw new Error('no worker listens');
  }

  /** Rolling restart: stops each worker once its successor listens. A call during a restart requests another restart. */
  async restart(): Promise<void> {
    this.#isRestartWanted = true;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    while (this.#isRestartWanted) {
      this.#isRestartWanted = false;
      await this.#replaceAll().catch((err) => this.#complain({ err }, 'rolling restart given up'));
    }
    this.#isRestarting = false;
  }

  /** Stops all workers, and resolves when they have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#serving.clear();
    const all = Object.values(cluster.workers ?? {});
    await Promise.all(all.map((worker) => worker && this.#stop(worker)));
  }

  async #replaceAll(): Promise<void> {
    for (const old of [...this.#serving]) {
      // A worker outside the set is not replaced when it ends. If the set lacks this worker, it has been replaced already.
      if (!this.#serving.delete(old)) continue;
      try {
        await this.#add();
      } catch (error) {
        if (old.isDead()) void this.#replace(FIRST_PAUSE_MS);
        else this.#serving.add(old);
        throw error;
      }
      await this.#stop(old);
    }
    if (this.#ending.signal.aborted) return;
    this.#options.log.info({ workers: pidsOf(this.#serving) }, 'rolling restart done');
  }

  /** Starts a worker and resolves when it listens. `pauseMs`: the pause that the caller made before this start. */
  async #add(pauseMs = 0): Promise<void> {
    this.#ending.signal.throwIfAborted();
    const startedAt = performance.now();
    const worker = await startWorker(this.#options.ports);
    this.#serving.add(worker);
    this.#listening.add(worker);
    worker.once('exit', (code, signal) => {
      this.#listening.delete(worker);
      if (!this.#serving.delete(worker)) return;
      this.#exits++;
      this.#complain({ worker: worker.process.pid, code, signal }, 'a worker ended by itself');
      const isSteady = performance.now() - startedAt >= STEADY_MS;
      void this.#replace(isSteady ? 0 : longerPause(pauseMs));
    });
  }

  /** Retries until a worker listens or all workers stop. */
  async #replace(pauseMs: number): Promise<void> {
    const { signal } = this.#ending;
    for (let pause = pauseMs; ; pause = longerPause(pause)) {
      await delay(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        return await this.#add(pause);
      } catch (err) {
        this.#complain({ err }, 'a worker did not start');
      }
    }
  }

  /** Logs a problem with workers, except while all workers stop. */
  #complain(details: object, message: string): void {
    if (!this.#ending.signal.aborted) this.#options.log.error(details, message);
  }

  async #stop(worker: Worker): Promise<void> {
    this.#listening.delete(worker);
    if (worker.isDead()) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.once('exit', () => resolve());
    // The worker may be ending on its own right now.
    if (worker.isConnected()) worker.send(STOP, () => {});
    const kill = setTimeout(() => {
      this.#options.log.error({ worker: worker.process.pid }, 'a worker did not end in time and is killed');
      worker.process.kill('SIGKILL');
    }, this.#options.stopTimeoutMs);
    await ended;
    clearTimeout(kill);
  }
}

/** Resolves when the worker listens on all its ports. */
function startWorker(ports: number): Promise<Worker> {
  const { promise, resolve, reject } = Promise.withResolvers<Worker>();
  const worker = cluster.fork();
  let listening = 0;
  worker.on('listening', () => {
    listening++;
    if (listening === ports) resolve(worker);
  });
  worker.once('exit', (code, signal) => {
    const how = signal ?? `exit code ${code}`;
    reject(new ReportedElsewhere(`worker ${worker.process.pid} ended before it listened: ${how}`, code ?? 1));
  });
  // An error before the worker listens: the worker could not start. A later error: a message did not reach the worker, and its exit tells
  // why.
  worker.on('error', reject);
  return promise;
}

function longerPause(pauseMs: number): number {
  return Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
}

function pidsOf(workers: Iterable<Worker>): (number | undefined)[] {
  return Array.from(workers, ({ process }) => process.pid);
}
