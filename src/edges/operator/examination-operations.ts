/**
 * Operations of examinations by the doctor, which compares the database with the object storage. One request asks for an examination, and
 * later requests read its result.
 */
import { z } from 'zod';
import { nameOfOperator } from '../../features/accounts/actor.ts';
import type { askExamination } from '../../features/doctor/ask-examination.ts';
import type {
  Examination,
  findExamination,
  listExaminations,
} from '../../features/doctor/examination-store.ts';
import { CURES, type Finding } from '../../features/doctor/finding.ts';
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import type { Verb } from '../../platform/verb.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  existing,
  id,
  jsonBody,
  numbered,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from '../api/shapes.ts';
import { operatorOperation } from './operator-operation.ts';

export interface ExaminationNeeds {
  readonly examinations: {
    readonly ask: Verb<typeof askExamination>;
    readonly find: Verb<typeof findExamination>;
    readonly list: Verb<typeof listExaminations>;
  };
}

const PROBLEMS = Object.keys(CURES) as Finding['problem'][];

const examination = z
  .object({
    id: id('examination'),
    hostname: described(text.nullable(), 'Null: all domains.'),
    status: z.enum(['waiting', 'running', 'healthy', 'unhealthy', 'failed']),
    askedBy: text,
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    failure: described(text.nullable(), 'For people: why there is no result. It is tried again.'),
    result: z
      .object({
        sites: described(count, 'Domains that were examined.'),
        objects: described(count, 'Stored objects that were examined.'),
        problems: z.array(
          z.object({
            problem: z.enum(PROBLEMS),
            count,
            cure: described(text, 'For people.'),
            findings: described(
              z
                .array(
                  z.object({
                    subject: described(text, 'The key of an object or a job.'),
                    hostname: described(text, 'Empty if no domain is concerned.'),
                    detail: text,
                  }),
                )
                .max(50),
              'The first ones.',
            ),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ id: 'Examination' });

const WAITING = {
  ...{ id: 'examination_Y16He1Yn79PlDs9c4v8PXe', hostname: null, status: 'waiting' },
  ...{ askedBy: 'operator token ci', createdAt: '2026-01-15T10:00:00Z', startedAt: null, endedAt: null },
  ...{ failure: null, result: null },
};
const ENDED = {
  ...{ ...WAITING, status: 'healthy', startedAt: '2026-01-15T10:00:01Z', endedAt: '2026-01-15T10:00:09Z' },
  result: { sites: 1200, objects: 90_000, problems: [] },
};

export const examinationOperations = tagged('Examinations', [
  operatorOperation('post', '/operator/examinations', {
    id: 'createExamination',
    summary: 'Has database, object storage and jobs compared',
    description:
      'It changes nothing. A jobs process does it: fetch the examination by its id until it has ended. A process examines all domains once at a time; further ones wait.',
    body: jsonBody(
      z.strictObject({
        hostname: described(text.nullish(), 'Only this domain. By default all, and the jobs.'),
      }),
      {},
    ),
    answer: answered(202, 'The examination waits for a jobs process.', examination, WAITING),
    errors: { NOT_FOUND: 'Nobody has registered the hostname.' },
    async run({ examinations }: ExaminationNeeds, { caller, members }) {
      const hostname = (await members()).get('hostname') ?? null;
      if (hostname !== null && (typeof hostname !== 'string' || !isStorable(hostname)))
        throw invalidField('hostname', hostname, 'must be a hostname');
      const canonical = hostname === null ? null : (canonicalHostname(hostname) ?? hostname);
      return describeExamination(await examinations.ask(nameOfOperator(caller), canonical));
    },
  }),
  operatorOperation('get', '/operator/examinations', {
    id: 'listExaminations',
    summary: 'Lists examinations, the newest first; 100 are kept',
    query: PAGE_QUERY,
    answer: answeredPage('A page of examinations.', examination, ENDED),
    run: async ({ examinations }: ExaminationNeeds, { page }) =>
      page({
        list: 'examinations',
        read: (limit, after) => examinations.list(limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeExamination,
      }),
  }),
  operatorOperation('get', '/operator/examinations/{id}', {
    id: 'getExamination',
    summary: 'Shows an examination and what it found',
    answer: answered(200, 'The examination.', examination, ENDED),
    errors: { NOT_FOUND: 'There is no such examination.' },
    run: async ({ examinations }: ExaminationNeeds, { path }) =>
      describeExamination(existing(await examinations.find(path.id), 'examination')),
  }),
]);

function describeExamination(given: Examination): Shown<typeof examination> {
  const result = given.result && describeResult(given.result);
  return shownAs(examination, { ...given, status: statusOf(given), result });
}

function statusOf({ startedAt, result, failure }: Examination) {
  if (result !== null) return Object.keys(result.counts).length === 0 ? 'healthy' : 'unhealthy';
  if (failure !== null) return 'failed';
  return startedAt === null ? 'waiting' : 'running';
}

function describeResult({ sites, objects, counts, findings }: NonNullable<Examination['result']>) {
  const problems = PROBLEMS.filter((problem) => counts[problem] !== undefined).map((problem) => ({
    ...{ problem, count: counts[problem]!, cure: CURES[problem] },
    findings: findings
      .filter((one) => one.problem === problem)
      .map(({ subject, hostname, detail }) => ({ subject, hostname, detail })),
  }));
  return { sites, objects, problems };
}
