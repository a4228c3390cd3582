/** Shapes that many operations share: times, ids, pages, the envelope. */
import { z } from 'zod';
import { pageLimit } from '../../web/pages.ts';
import type { Answer, Content, Operation, RequestBody } from './operation.ts';

export const JSON_TYPE = 'application/json';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const IDS = {
  domain: /^domain_[0-9A-Za-z]{22}$/,
  event: /^event_[0-9A-Za-z]{22}$/,
  key: /^key_[0-9A-Za-z]{22}$/,
  upload: /^upload_[0-9A-Za-z]{22}$/,
  webhook: /^webhook_[0-9A-Za-z]{22}$/,
} as const;

export const count = z.int().min(0);
export const text = z.string();
export const time = text
  .regex(TIME)
  .meta({ format: 'date-time', description: 'In UTC, with whole seconds.' });
export const done = z.literal(true);

/** `domain_` and 22 letters and digits, for instance. */
export function id(kind: keyof typeof IDS) {
  return text.regex(IDS[kind]);
}

/** The same schema, with words for people. */
export function described<T extends z.ZodType>(schema: T, description: string): T {
  return schema.meta({ description });
}

/** A body that has JSON in it. */
export function jsonBody(schema: z.ZodType, example: unknown): RequestBody {
  return { content: { [JSON_TYPE]: { schema, example } } };
}

/** A success in the envelope. `others`: what it may be instead, by media type. */
export function answered(
  status: Answer['status'],
  description: string,
  data: z.ZodType,
  example: unknown,
  others: Readonly<Record<string, Content>> = {},
): readonly Answer[] {
  const schema = z.object({ success: done, data });
  const json = { schema, example: { success: true, data: example } };
  return [{ status, description, content: { [JSON_TYPE]: json, ...others } }];
}

const pagination = z
  .object({
    hasMore: described(z.boolean(), 'Whether there is a next page.'),
    cursor: described(text, 'For the next page; only with `hasMore`.').optional(),
  })
  .meta({ id: 'Pagination' });

/** A page of a list. */
export function answeredPage(description: string, row: z.ZodType, example: unknown): readonly Answer[] {
  const schema = z.object({ success: done, data: z.array(row), pagination });
  const page = {
    success: true,
    data: [example],
    pagination: { hasMore: true, cursor: 'ei30oD-qEsTn2ZF1N8z0Bw' },
  };
  return [{ status: 200, description, content: { [JSON_TYPE]: { schema, example: page } } }];
}

export const PAGE_QUERY = {
  limit: described(pageLimit.default(50), 'Rows of a page.'),
  cursor: described(text, '`pagination.cursor` of the page before; without it, the first page.'),
} satisfies Operation['query'];
