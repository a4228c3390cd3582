/** The names of all jobs, and what each carries. `compose/job-handlers.ts` has the handlers. */
export interface Jobs {
  /** Writes a site again, unless hosting has its newest generation already. */
  'site.publish': { hostname: string };
  /** Deletes objects that nothing refers to any more. */
  'garbage.collect': Record<string, never>;
  /** Writes the host directory again where it differs from the database. */
  'hosts.write': Record<string, never>;
}
export type JobName = keyof Jobs;

/** `since`: when the job was enqueued, or the first of the jobs that it replaced. */
export type JobHandlers = { [Name in JobName]: (payload: Jobs[Name], since: Date) => Promise<void> };

/** A job that is enqueued again and again. */
export interface RecurringJob {
  readonly name: JobName;
  /** As in crontab(5), in UTC. */
  readonly schedule: string;
}
