/** Reads an object of a load into its part of the session, or lists the children of an object that proves to be an index. */
import { inTransaction } from '../../../platform/postgres/database.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { AttemptCounts } from '../attempt.ts';
import { type AcceptPartOptions, acceptPart } from '../sessions/accept-part.ts';
import { isBucketAddress } from './bucket-address.ts';
import { listChildren } from './list-sources.ts';
import { aboutSource, badSource, shownAddress } from './load.ts';
import type { LoadWork } from './load-work.ts';
import { type ListedObject, objectDone, objectSkipped, putChildren } from './object-store.ts';
import { openSource, Patience, type SourceReader, type SourceWatch } from './open-source.ts';
import { indexInBucket, SourceFailure } from './source-failure.ts';

export interface ReadObjectOptions extends AcceptPartOptions {
  readonly reader: SourceReader;
}

/** All objects of a load together may have this many times `maxBytes`, the limit of one object, decompressed. */
const OBJECTS_OF_MOST_BYTES = 4;

/** Reads an object into its part, with several tries. Throws Refusal with the address of the object. */
export async function readObject(
  options: ReadObjectOptions,
  work: LoadWork,
  object: ListedObject,
  signal: AbortSignal,
): Promise<void> {
  const { url, n } = object;
  const patience = new Patience(options.reader, watchOf(work, url, signal));
  let { etag } = object;
  let hasChanged = false;
  for (;;) {
    try {
      return await readOnce(options, work, { ...object, etag }, signal, patience);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw aboutSource(error, url);
      const { reason, message } = error;
      if (reason === 'missing' && work.load.asked.onMissing === 'skip') {
        return inTransaction(options.database, (transaction) => objectSkipped(transaction, work.load, n));
      }
      if (reason === 'changed') {
        // The objects of a bucket belong together: with a newer object, the load publishes parts of two exports.
        if (object.etag !== null && isBucketAddress(url))
          throw new Refusal('CONFLICT', changedSinceListed(url));
        if (hasChanged)
          throw new Refusal('CONFLICT', `${shownAddress(url)} ${message}. Load it when it is complete.`);
        hasChanged = true;
        etag = null;
      } else {
        await patience.after(error).catch((last) => {
          throw last instanceof SourceFailure ? badSource(url, last.message) : last;
        });
      }
    }
  }
}

function changedSinceListed(url: string): string {
  return `${shownAddress(url)} changed after the load had listed it, as others may have. Load the bucket when its export is complete.`;
}

/** `counts`: the counts of the object that is read. */
export function watchOf(
  work: LoadWork,
  url: string,
  signal: AbortSignal,
  counts?: Pick<AttemptCounts, 'bytesReceived'>,
): SourceWatch {
  return {
    signal,
    received(bytes) {
      work.received(bytes);
      if (counts !== undefined) counts.bytesReceived += bytes;
    },
    waits: (until) => work.waits(url, until),
  };
}

async function readOnce(
  options: ReadObjectOptions,
  work: LoadWork,
  object: ListedObject,
  signal: AbortSignal,
  patience: Patience,
): Promise<void> {
  const { reader, database } = options;
  const { load, uploader } = work;
  const { asked, sessionId } = load;
  const { url, n, etag } = object;
  const counts: AttemptCounts = { bytesReceived: 0, urlCount: 0, fileCount: 0, rejected: 0 };
  await using source = await openSource(reader, url, etag, watchOf(work, url, signal, counts), patience);
  if (source.kind === 'html') throw new SourceFailure('missing', 'is a page of HTML');
  if (source.kind === 'index') {
    if (isBucketAddress(url)) throw indexInBucket();
    const children = await listChildren(object, source, asked);
    // Await here, because the source must not end while the promise runs.
    return await inTransaction(database, (transaction) => putChildren(transaction, load, n, children));
  }
  const isAsListed = etag !== null && source.etag === etag;
  const form = asked.form ?? source.kind;
  work.begins(url, form, counts);
  let urlCount = 0;
  using _working = work.meter.work();
  try {
    const head = { sessionId, part: n + 1, form, query: asked.dialect };
    const body = counted(source.body, work, reader.maxBytes);
    const part = await acceptPart(options, uploader, head, counts, body, {
      stored: (transaction) => objectDone(transaction, load, n, isAsListed),
      onlyInvalid: (refusal) => {
        work.onlyInvalid ??= aboutSource(refusal, url);
      },
    });
    urlCount = part.urlCount;
    work.warns(url, part.warnings);
  } finally {
    work.ends(url, urlCount);
  }
}

/** Counts the decompressed bytes. Does not count the waits for the next chunk as work. Throws Refusal if the load has too many bytes. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  work: LoadWork,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const limit = OBJECTS_OF_MOST_BYTES * maxBytes;
  using _waiting = work.meter.wait();
  for await (const chunk of body) {
    if (work.inflated(chunk.length) > limit) {
      throw new Refusal('PAYLOAD_TOO_LARGE', `The load is larger than ${limit} bytes when decompressed.`);
    }
    using _working = work.meter.work();
    yield chunk;
  }
}
