/** Reads the body of a commit. The body may name 10,000 parts. */
import { z } from 'zod';
import { readDocument } from '../../../platform/json/json-document.ts';
import { malformed } from '../../../platform/json/json-syntax.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { BATCH_LIMITS } from '../forms/batch-limits.ts';
import { memberSchemas, parseMember } from '../upload-members.ts';
import type { NamedPart, WantedParts } from './choose-parts.ts';
import type { AskedCommit } from './commit-session.ts';
import { MAX_PARTS } from './session.ts';

const partNumber = `must be a whole number from 1 to ${MAX_PARTS.toLocaleString('en-US')}`;
const wholeNumber = z.int('must be a whole number, at least 1').min(1, 'must be a whole number, at least 1');

export const namedPartSchema = z.strictObject(
  {
    part: z.int(partNumber).min(1, partNumber).max(MAX_PARTS, partNumber),
    digest: z.string('must be the digest in the answer to the part'),
  },
  'must be an object with part and digest, and nothing else',
);
export const commitSchemas = {
  partCount: wholeNumber.nullable(),
  urlCount: wholeNumber.nullable(),
  ifGeneration: memberSchemas.ifGeneration,
  force: memberSchemas.force,
  dryRun: memberSchemas.dryRun,
};
type CountName = 'partCount' | 'urlCount';

const SHAPE = {
  members: Object.keys(commitSchemas),
  arrays: ['parts'],
  limits: BATCH_LIMITS,
  refusesUnknown: true,
};

/** Throws Refusal. */
export async function readCommit(body: AsyncIterable<Uint8Array>): Promise<AskedCommit> {
  const members = new Map<string, unknown>();
  const parts: unknown[] = [];
  for await (const part of readDocument(body, SHAPE)) {
    if (part.kind === 'member') members.set(part.name, part.value);
    else if (part.kind === 'array-end') members.set('parts', parts);
    else parts.push(...parseElements(part.batch.bytes));
    if (parts.length > MAX_PARTS)
      throw invalidField('parts', undefined, `must name at most ${MAX_PARTS} parts`);
  }
  const ifGeneration = parseMember('ifGeneration', members.get('ifGeneration') ?? null) ?? undefined;
  const force = parseMember('force', members.get('force') ?? null) ?? false;
  const dryRun = parseMember('dryRun', members.get('dryRun') ?? null) ?? false;
  return { wanted: wantedParts(members), terms: { ifGeneration, force }, dryRun };
}

function parseElements(bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(`[${Buffer.from(bytes).toString()}]`);
  } catch {
    throw malformed('parts has an element that is no JSON');
  }
}

function wantedParts(members: ReadonlyMap<string, unknown>): WantedParts {
  const counts = { partCount: countOf(members, 'partCount'), urlCount: countOf(members, 'urlCount') };
  if (members.has('parts')) {
    for (const [name, value] of Object.entries(counts)) {
      if (value !== null) throw invalidField(name, value, 'is not for a commit that names its parts');
    }
    return { parts: namedParts(members.get('parts')) };
  }
  const { partCount, urlCount } = counts;
  if (partCount === null) throw invalidField('parts', undefined, 'is required, or partCount and urlCount');
  if (urlCount === null) throw invalidField('urlCount', undefined, 'is required beside partCount');
  return { partCount, urlCount };
}

function countOf(members: ReadonlyMap<string, unknown>, name: CountName): number | null {
  const value = members.get(name) ?? null;
  const parsed = commitSchemas[name].safeParse(value);
  if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
  return parsed.data;
}

function namedParts(given: unknown): readonly NamedPart[] {
  const parsed = z
    .array(namedPartSchema, 'must be an array of parts')
    .min(1, 'must name at least one part')
    .safeParse(given);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    const [i, name] = path;
    const field = `parts${i === undefined ? '' : `[${String(i)}]`}${name === undefined ? '' : `.${String(name)}`}`;
    throw invalidField(field, undefined, message);
  }
  const numbers = new Set<number>();
  for (const { part } of parsed.data) {
    if (numbers.has(part)) throw invalidField('parts', part, 'names a part twice');
    numbers.add(part);
  }
  return parsed.data;
}
