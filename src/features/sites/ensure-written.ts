/**
 * Writes the site before a kept answer is sent again. The transaction of a publication keeps the answer of its request, and the answer says
 * that the site is served. If the write of the site fails after the transaction, the client gets an error and repeats the request.
 */
import { z } from 'zod';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isWriteRequested } from './site-change-store.ts';

/** `text` is the body of a kept answer. If the answer says that a site is served, and the site cannot be written now, throws. */
export type EnsureWritten = (text: string) => Promise<void>;

/** The members by which an answer to a publication says that its site is served (`edges/api/describe-upload.ts`). */
const promiseSchema = z.object({ data: z.object({ domain: z.string(), served: z.literal(true) }) });

export function createEnsureWritten(
  database: Queryable,
  writeSite: (hostname: string) => Promise<void>,
): EnsureWritten {
  return async (text) => {
    const { data: promise } = promiseSchema.safeParse(JSON.parse(text));
    if (promise === undefined) return;
    const hostname = promise.data.domain;
    if (await isWriteRequested(database, hostname)) await writeSite(hostname);
  };
}
