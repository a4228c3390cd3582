/**
 * Writes the site before a kept answer is sent again. The transaction of a publication keeps its answer, and that answer says that the site
 * is served. If the write of the site fails afterwards, the client gets an error and repeats the request.
 */
import { z } from 'zod';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isWriteRequested } from './site-change-store.ts';

export interface PromisedSiteOptions {
  readonly database: Queryable;
  readonly writeSite: (hostname: string) => Promise<void>;
}

/** `text` is the body of a kept answer. Throws if the answer says that a site is served, and that site cannot be written now. */
export type EnsureWritten = (text: string) => Promise<void>;

/** The members by which an answer to a publication says that its site is served (`edges/api/describe-upload.ts`). */
const promiseSchema = z.object({ data: z.object({ domain: z.string(), served: z.literal(true) }) });

export function createEnsureWritten({ database, writeSite }: PromisedSiteOptions): EnsureWritten {
  return async (text) => {
    const { data: promise } = promiseSchema.safeParse(JSON.parse(text));
    if (promise === undefined) return;
    const hostname = promise.data.domain;
    if (await isWriteRequested(database, hostname)) await writeSite(hostname);
  };
}
