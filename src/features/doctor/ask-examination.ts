/** Examinations as jobs: an operator asks, a jobs process examines, and the result is kept. */
import { enqueueJob, LATER } from '../../core/jobs/job-store.ts';
import type { NewId } from '../../platform/ids.ts';
import { type Database, inTransaction, type Queryable } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findSiteDomain } from '../domains/served-domain-store.ts';
import {
  type Examination,
  type ExaminationResult,
  endExamination,
  findExamination,
  insertExamination,
  startExamination,
} from './examination-store.ts';
import { examine } from './examine.ts';
import type { ExaminationOptions } from './examine-listings.ts';
import type { Finding } from './finding.ts';

/** The most findings of one problem that a job keeps. The others are only counted. */
const MOST_OF_A_PROBLEM = 50;

/** Asks for an examination. `hostname`: null for all domains. Throws Refusal NOT_FOUND for a hostname that no account has registered. */
export async function askExamination(
  { database, newId }: { readonly database: Database; readonly newId: NewId },
  askedBy: string,
  hostname: string | null,
): Promise<Examination> {
  if (hostname !== null && (await findSiteDomain(database, hostname)) === undefined)
    throw new Refusal('NOT_FOUND', `There is no domain ${hostname}.`);
  return inTransaction(database, async (transaction) => {
    const asked = await insertExamination(transaction, { id: newId('examination'), hostname, askedBy });
    await enqueueExamination(transaction, asked.id);
    return asked;
  });
}

const enqueueExamination = (queryable: Queryable, id: string, delayMs = 0) =>
  enqueueJob(queryable, 'doctor.examine', { id }, { key: `doctor.examine ${id}`, delayMs, priority: LATER });

/** The pause before the next look whether another examination of all domains has ended. */
const AGAIN_MS = 30_000;

/**
 * Returns a function that does the work of one examination of all domains at a time, and puts the others off. Such an examination takes
 * hours, and several at once take the places of all other jobs.
 */
export function oneOfAllAtATime(
  database: Database,
  work: (id: string) => Promise<void>,
): (id: string) => Promise<void> {
  let isUnderWay = false;
  return async (id) => {
    const asked = await findExamination(database, id);
    if (asked === undefined || asked.hostname !== null) return work(id);
    if (isUnderWay) return enqueueExamination(database, id, AGAIN_MS);
    isUnderWay = true;
    try {
      await work(id);
    } finally {
      isUnderWay = false;
    }
  };
}

/** Does a requested examination. If it fails or the process dies, the job runs again, and begins anew. */
export async function workOnExamination(
  { database }: { readonly database: Database },
  /** Runs the work without a time limit for its statements. */
  patiently: (
    work: (options: ExaminationOptions) => Promise<ExaminationResult>,
  ) => Promise<ExaminationResult>,
  id: string,
): Promise<void> {
  const asked = await findExamination(database, id);
  if (asked === undefined || asked.result !== null) return;
  await startExamination(database, id);
  try {
    const result = await patiently((options) => collectFindings(options, asked.hostname ?? undefined));
    await endExamination(database, id, { result });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await endExamination(database, id, { failure });
    throw error;
  }
}

/** Examines, and keeps the first `most` findings of each problem. */
export async function collectFindings(
  options: ExaminationOptions,
  hostname: string | undefined,
  most = MOST_OF_A_PROBLEM,
): Promise<ExaminationResult> {
  const counts: Partial<Record<Finding['problem'], number>> = {};
  const findings: Finding[] = [];
  const examination = examine(options, hostname);
  let next = await examination.next();
  for (; !next.done; next = await examination.next()) {
    const { problem } = next.value;
    const count = (counts[problem] ?? 0) + 1;
    counts[problem] = count;
    if (count <= most) findings.push(next.value);
  }
  return { ...next.value, counts, findings };
}
