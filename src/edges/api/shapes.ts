/** Shapes that many operations share: times, ids, pages, the envelope. */
import { z } from 'zod';
import { successAnswer } from '../../core/web/envelope.ts';
import { type Page, pageLimit } from '../../core/web/pages.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { DescribedAnswer, DescribedOperation, Lines, RequestBody, Success } from './operation.ts';
import { LINES_TYPE } from './send-lines.ts';

export const JSON_TYPE = 'application/json';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const IDS = {
  account: /^account_[0-9A-Za-z]{22}$/,
  attempt: /^(?:delta|upload)_[0-9A-Za-z]{22}$/,
  delta: /^delta_[0-9A-Za-z]{22}$/,
  domain: /^domain_[0-9A-Za-z]{22}$/,
  examination: /^examination_[0-9A-Za-z]{22}$/,
  event: /^event_[0-9A-Za-z]{22}$/,
  key: /^key_[0-9A-Za-z]{22}$/,
  rebuild: /^rebuild_[0-9A-Za-z]{22}$/,
  schedule: /^schedule_[0-9A-Za-z]{22}$/,
  session: /^session_[0-9A-Za-z]{22}$/,
  upload: /^upload_[0-9A-Za-z]{22}$/,
  webhook: /^webhook_[0-9A-Za-z]{22}$/,
} as const;

export const count = z.int().min(0);
export const text = z.string();
export const time = text
  .regex(TIME)
  .meta({ format: 'date-time', description: 'In UTC, with whole seconds.' });
export const done = z.literal(true);

/**
 * Makes the schema of an id: a kind and 22 letters and digits, as in `domain_…`. An id of the kind `attempt` is that of an upload or a
 * delta.
 */
export function id(kind: keyof typeof IDS) {
  return text.regex(IDS[kind]);
}

export function described<T extends z.ZodType>(schema: T, description: string): T {
  return schema.meta({ description });
}

/** A value as an answer shows it: the input of `schema`, read-only. */
export type Shown<Schema extends z.ZodType> = Unchanging<z.input<Schema>>;
type Unchanging<T> = T extends object ? { readonly [Name in keyof T]: Unchanging<T[Name]> } : T;

/** A row of which `shownAs` makes what an answer shows. */
type Unshown<Value> = Value extends string ? (string extends Value ? Value | Date : Value) : Value;

/** Shows of a row the members that `schema` has, with its times as answers show them. */
export function shownAs<Schema extends z.ZodObject>(
  schema: Schema,
  row: { readonly [Name in keyof Shown<Schema>]: Unshown<Shown<Schema>[Name]> },
): Shown<Schema> {
  const members = Object.keys(schema.shape).filter((name) => name in row);
  const picked = members.map((name) => [name, row[name as keyof typeof row]]);
  return withShownTimes(Object.fromEntries(picked)) as Shown<Schema>;
}

export function jsonBody(schema: z.ZodObject, example: unknown): RequestBody {
  return { content: { [JSON_TYPE]: { schema, example } }, members: Object.keys(schema.shape) };
}

/** Declares a success in the envelope. */
export function answered<Data extends z.ZodType>(
  status: DescribedAnswer['status'],
  description: string,
  data: Data,
  example: unknown,
): Success<Shown<Data>> {
  const schema = z.object({ success: done, data });
  return {
    ...{ status, description },
    content: { [JSON_TYPE]: { schema, example: { success: true, data: example } } },
    envelope: (shown) => successAnswer(status, shown),
  };
}

/** Declares a success of lines of JSON, without an envelope. */
export function answeredLines(description: string, meaning: string, example: string): Success<Lines> {
  return {
    ...{ status: 200, description },
    content: { [LINES_TYPE]: { schema: described(text, meaning), example } },
    envelope: (nothing) => nothing,
  };
}

/** Declares a success in the envelope or, for clients that accept lines, in lines. */
export function answeredOrLines<Data extends z.ZodType>(
  description: string,
  data: Data,
  example: unknown,
  meaning: string,
  line: string,
): Success<Shown<Data> | Lines> {
  const json = answered(200, description, data, example);
  return { ...json, content: { ...json.content, ...answeredLines(description, meaning, line).content } };
}

/** Declares that clients may have the answer as CSV, too. */
export function orCsv<Result>(
  success: Success<Result>,
  meaning: string,
  example: string,
): Success<Result | Lines> {
  const csv = { schema: described(text, meaning), example };
  return { ...success, content: { ...success.content, 'text/csv': csv } };
}

const pagination = z
  .object({
    hasMore: described(z.boolean(), 'Whether there is a next page.'),
    cursor: described(text, 'For the next page; only with `hasMore`.').optional(),
  })
  .meta({ id: 'Pagination' });

/** Declares a page of a list. */
export function answeredPage<Row extends z.ZodType>(
  description: string,
  row: Row,
  example: unknown,
): Success<Page<Shown<Row>>> {
  return answeredRows(description, z.array(row), example, pagination, {
    hasMore: true,
    cursor: 'ei30oD-qEsTn2ZF1N8z0Bw',
  });
}

/** Declares a list without pages. */
export function answeredList<Row extends z.ZodType>(
  description: string,
  rows: z.ZodArray<Row>,
  example: unknown,
): Success<readonly Shown<Row>[]> {
  const pagination = { hasMore: false };
  const whole = z.object({ hasMore: z.literal(false) });
  const { envelope, ...described } = answeredRows(description, rows, example, whole, pagination);
  return { ...described, envelope: (shown) => envelope({ rows: shown, pagination }) };
}

function answeredRows<Row extends z.ZodType>(
  description: string,
  rows: z.ZodArray<Row>,
  example: unknown,
  pages: z.ZodType,
  page: object,
): Success<Page<Shown<Row>>> {
  const schema = z.object({ success: done, data: rows, pagination: pages });
  return {
    ...{ status: 200, description },
    content: { [JSON_TYPE]: { schema, example: { success: true, data: [example], pagination: page } } },
    envelope: ({ rows: shown, pagination: shownPage }) =>
      successAnswer(200, shown, { pagination: shownPage }),
  };
}

/** Returns `found`. Throws Refusal NOT_FOUND if it is undefined. `noun`: what the request named, as in `sitemap`. */
export function existing<Found>(found: Found | undefined, noun: string): Found {
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no such ${noun}.`);
  return found;
}

/** Parses the cursor of a list whose positions are numbers. */
export const numbered = (after: string | undefined) => (after === undefined ? undefined : Number(after));

export const PAGE_QUERY = {
  limit: described(pageLimit.default(50), 'Rows of a page.'),
  cursor: described(text, '`pagination.cursor` of the page before; without it, the first page.'),
} satisfies DescribedOperation['query'];
