/**
 * An answer that says that a site is served is kept in the transaction of its publication. If the write of the site failed, its
 * client was told of the failure. Whoever is given the kept answer later must find what it says.
 */
import { z } from 'zod';
import type { Queryable } from '../platform/postgres/database.ts';
import { isWriteRequested } from './site-change-store.ts';

export interface PromisedSiteOptions {
  readonly database: Queryable;
  readonly writeSite: (hostname: string) => Promise<void>;
}

/** `text`: the body of a kept answer. Throws if the site that it promises cannot be written now. */
export type KeepPromise = (text: string) => Promise<void>;

/** What the answers to publications have in common (`api/describe-upload.ts`). */
const promiseSchema = z.object({ data: z.object({ domain: z.string(), served: z.literal(true) }) });

export function createKeepPromise({ database, writeSite }: PromisedSiteOptions): KeepPromise {
  return async (text) => {
    const { data: promise } = promiseSchema.safeParse(JSON.parse(text));
    if (promise === undefined) return;
    const hostname = promise.data.domain;
    if (await isWriteRequested(database, hostname)) await writeSite(hostname);
  };
}
