/** A load of the world, from a bucket whose host is never broken. It is asked for and looked at until it has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { BUCKET, type BucketHost } from '../../support/bucket-host.ts';
import { type SentUpload, urlOf } from './history.ts';
import type { SessionCall } from './parted-upload.ts';

export interface AskedLoad {
  /** Asks, and waits for some seconds. Resolves to the attempt, once it is known to have ended. */
  send(): Promise<{ readonly outcome: string; readonly urlCount: number } | undefined>;
  /** The id of the load, once a request was acknowledged. */
  readonly id: string | undefined;
}

/** The ends of objects. Tails come last, so the list of this order is published in order. */
const ENDS = [1000, 2000, 2300, 2500];
export const LOADED_URLS = 2500;
const LOOKS = 100;
const LOOK_MS = 100;

export function openLoad(
  call: SessionCall,
  host: BucketHost,
  members: object,
  sent: SentUpload,
  settle: () => void,
): AskedLoad {
  const folder = `load-${sent.number}`;
  for (const [i, end] of ENDS.entries()) {
    const first = ENDS[i - 1] ?? 0;
    const urls = Array.from({ length: end - first }, (_, place) => urlOf(sent, first + place));
    host.objects.set(`${folder}/${i}.txt`, `${urls.join('\n')}\n`);
  }
  const body = {
    ...members,
    sources: [`s3://${BUCKET}/${folder}/*.txt`],
    connection: 'lake',
    ifChanged: true,
  };
  let [id, repetitions] = [undefined as string | undefined, 0];
  const acknowledged = async (...asked: Parameters<SessionCall>) => {
    const answer = await call(...asked).catch(() => undefined);
    if (answer === undefined || answer.status >= 500) return undefined;
    const { data, error } = JSON.parse(String(answer.body));
    if (answer.status < 300) return data;
    // A claim on a key goes on for a while.
    if (error.details?.field === 'Idempotency-Key') return undefined;
    throw new Error(`the API refuses: ${answer.status} ${answer.body}`);
  };
  return {
    get id() {
      return id;
    },
    async send() {
      if (id === undefined) {
        const key = { 'Idempotency-Key': `load-${sent.number}-${repetitions}` };
        id = (await acknowledged('POST', '/api/sitemap/load', body, key))?.uploadId;
      }
      for (let look = 0; id !== undefined && look < LOOKS; look++) {
        const attempt = await acknowledged('GET', `/api/uploads/${id}`, {});
        if (attempt === undefined) return undefined;
        if (attempt.outcome !== 'running') {
          if (attempt.outcome === 'published') settle();
          // The next one is another load of the same objects.
          [id, repetitions] = [undefined, repetitions + 1];
          return attempt;
        }
        await delay(LOOK_MS);
      }
      return undefined;
    },
  };
}
