/** Adapts our handlers to graphile-worker. Knows which jobs are under way, and reports how each one ends. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Task, TaskList } from 'graphile-worker';
import type { JobHandlers } from './job.ts';

export type ReportJob = (name: string, outcome: 'done' | 'failed', seconds: number) => void;

/** How long graphile-worker may take to record the result of the last job. */
const SETTLE_MS = 2_000;

export class JobTasks {
  readonly list: TaskList;
  readonly #underWay = new Set<string>();
  readonly #report: ReportJob;

  constructor(handlers: Partial<JobHandlers>, report: ReportJob) {
    this.#report = report;
    this.list = Object.fromEntries(
      Object.entries(handlers).map(([name, handle]) => [name, this.#taskOf(name, handle as HandleJob)]),
    );
  }

  /** The ids of the jobs under way. */
  get ids(): readonly string[] {
    return [...this.#underWay];
  }

  /** Resolves when all jobs have ended and graphile-worker has had time to record their results. */
  async areDone(): Promise<void> {
    // The timer does not keep the process alive: the process may exit sooner if nothing else runs.
    do await delay(SETTLE_MS, undefined, { ref: false });
    while (this.#underWay.size > 0);
  }

  #taskOf(name: string, handle: HandleJob): Task {
    return async (payload, { job }) => {
      this.#underWay.add(job.id);
      const startedAt = performance.now();
      let outcome: 'done' | 'failed' = 'failed';
      try {
        await handle(payload, job.created_at);
        outcome = 'done';
      } finally {
        this.#underWay.delete(job.id);
        this.#report(name, outcome, (performance.now() - startedAt) / 1000);
      }
    };
  }
}

type HandleJob = (payload: unknown, since: Date) => Promise<void>;
