/** Measures the time from the byte that decides an upload to its answer, while the client may still be sending. */
import { open } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';

/** Marks the place in a body where the time begins. */
export const DECIDED = Symbol('decided');

export type MarkedBody = Iterable<Buffer | typeof DECIDED>;

/** Seconds from the mark to the answer. */
export async function timeAnswer({ apiUrl, apiKey }: WaypostProcess, body: MarkedBody) {
  let decidedAt = performance.now();
  function* chunks() {
    for (const chunk of body) {
      if (chunk === DECIDED) decidedAt = performance.now();
      else yield chunk;
    }
  }
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  const answer = await open(`${apiUrl}/api/sitemap/generate`, { headers, body: chunks() });
  const seconds = (performance.now() - decidedAt) / 1000;
  answer.resume();
  answer.socket.destroy();
  return { status: answer.statusCode, seconds };
}
