/** An upload session of the world. When it goes on, it sends unacknowledged requests again. */
import type { Received } from '../../service/support/send.ts';
import { type SentUpload, urlOf } from './history.ts';

export interface PartedUpload {
  /** Goes on where it was broken off. Resolves to the answer of the commit, or to undefined if one was lost on the way. */
  send(): Promise<Received | undefined>;
}

export type SessionCall = (
  method: string,
  path: string,
  body: object,
  headers?: Record<string, string>,
) => Promise<Received>;

/** The ends of parts. Tails come last, so the list of this order is published in order. */
const ENDS = [1000, 2000, 2300, 2500];
export const PARTED_URLS = 2500;

/** `settle` is called when the commit is acknowledged. */
export function openParts(
  call: SessionCall,
  members: object,
  sent: SentUpload,
  settle: () => void,
): PartedUpload {
  const digests = new Map<number, string>();
  let id: string | undefined;

  async function acknowledged(...asked: Parameters<SessionCall>): Promise<Received | undefined> {
    const answer = await call(...asked).catch(() => undefined);
    if (answer === undefined || answer.status >= 500) return undefined;
    if (answer.status < 300) return answer;
    const { details } = JSON.parse(String(answer.body)).error;
    // The lease of a commit that was broken off goes on for a while, and so does a claim on a key.
    if (details?.status === 'committing' || details?.field === 'Idempotency-Key') return undefined;
    throw new Error(`the API refuses: ${answer.status} ${answer.body}`);
  }

  return {
    async send() {
      const key = { 'Idempotency-Key': `parted-${sent.number}` };
      const opened =
        id === undefined ? await acknowledged('POST', '/api/upload-sessions', members, key) : undefined;
      id ??= opened && JSON.parse(String(opened.body)).data.id;
      if (id === undefined) return undefined;
      for (const [i, end] of ENDS.entries()) {
        if (digests.has(i + 1)) continue;
        const first = ENDS[i - 1] ?? 0;
        const urls = Array.from({ length: end - first }, (_, place) => ({ loc: urlOf(sent, first + place) }));
        const answer = await acknowledged('PUT', `/api/upload-sessions/${id}/parts/${i + 1}`, { urls });
        if (answer === undefined) return undefined;
        digests.set(i + 1, JSON.parse(String(answer.body)).data.digest);
      }
      const parts = [...digests].map(([part, digest]) => ({ part, digest }));
      const answer = await acknowledged('POST', `/api/upload-sessions/${id}/commit`, { parts });
      if (answer !== undefined) settle();
      return answer;
    },
  };
}
