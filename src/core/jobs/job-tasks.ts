/** Adapts our jobs to graphile-worker, counts the jobs under way, and reports how each one ends. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Task, TaskList } from 'graphile-worker';
import type { HeldLease } from '../../platform/postgres/hold-lease.ts';
import type { JobWorks } from './job.ts';

type HoldJob = (id: string) => HeldLease;

export type ReportJob = (name: string, outcome: 'done' | 'failed', seconds: number) => void;

/** The time for graphile-worker to record the result of the last job. */
const SETTLE_MS = 2_000;

export class JobTasks {
  readonly list: TaskList;
  #underWay = 0;

  constructor(works: Partial<JobWorks>, hold: HoldJob, report: ReportJob) {
    this.list = Object.fromEntries(
      Object.entries(works).map(([name, { work }]) => [name, this.#taskOf(name, work as Work, hold, report)]),
    );
  }

  /** Resolves when all jobs have ended and graphile-worker has had time to record their results. */
  async areDone(): Promise<void> {
    // The timer does not keep the process alive: the process may exit sooner if nothing else runs.
    do await delay(SETTLE_MS, undefined, { ref: false });
    while (this.#underWay > 0);
  }

  #taskOf(name: string, work: Work, hold: HoldJob, report: ReportJob): Task {
    return async (payload, { job }) => {
      await using _ = hold(job.id);
      this.#underWay += 1;
      const startedAt = performance.now();
      let outcome: 'done' | 'failed' = 'failed';
      try {
        await work(payload, job.created_at);
        outcome = 'done';
      } finally {
        this.#underWay -= 1;
        report(name, outcome, (performance.now() - startedAt) / 1000);
      }
    };
  }
}

type Work = (payload: unknown, since: Date) => Promise<void>;
