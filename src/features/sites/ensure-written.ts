/**
 * The transaction of a publication keeps its answer, which says that the site is served. If the write of the site then fails,
 * the client gets an error. A repeated request gets the kept answer, so the site must be written first.
 */
import { z } from 'zod';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isWriteRequested } from './site-change-store.ts';

export interface PromisedSiteOptions {
  readonly database: Queryable;
  readonly writeSite: (hostname: string) => Promise<void>;
}

/** `text` is the body of a kept answer. Throws if the site that it promises cannot be written now. */
export type EnsureWritten = (text: string) => Promise<void>;

/** The members that all answers to publications share (`edges/api/describe-upload.ts`). */
const promiseSchema = z.object({ data: z.object({ domain: z.string(), served: z.literal(true) }) });

export function createEnsureWritten({ database, writeSite }: PromisedSiteOptions): EnsureWritten {
  return async (text) => {
    const { data: promise } = promiseSchema.safeParse(JSON.parse(text));
    if (promise === undefined) return;
    const hostname = promise.data.domain;
    if (await isWriteRequested(database, hostname)) await writeSite(hostname);
  };
}
