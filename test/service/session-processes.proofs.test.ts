/**
 * Many writers send the parts of upload sessions through two API processes, which are killed again and again. Parts are sent twice at
 * once, and replaced. Each commit publishes exactly its parts, whole, and repeats its answer (docs/decisions/0067).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import type { ApiAnswer } from './support/customer.ts';
import { bulkyAt } from './support/entries.ts';
import { startKilledApis } from './support/killed-apis.ts';

const WRITERS = 8;
const PARTS = 12;
const URLS_OF_PART = 2300;
const MIN_SESSIONS = 3;
const SESSIONS = '/api/upload-sessions';

const apis = await startKilledApis();
afterAll(() => apis[Symbol.asyncDispose]());
const { customers, published } = apis;
const lost = { answers: 0 };
let turn = 0;

/** Sends the request to one process after the other until one of them answers with another status than these. */
async function persist(
  route: string,
  request: { body?: unknown; headers?: Record<string, string> },
  isTemporary: (answer: ApiAnswer) => boolean = () => false,
): Promise<ApiAnswer> {
  for (;;) {
    const answer = await customers[turn++ % 2]!.call(route, request).catch(() => undefined);
    if (answer !== undefined && answer.status < 500 && answer.status !== 429 && !isTemporary(answer))
      return answer;
    lost.answers++;
    await delay(100);
  }
}

/** The entries of part `part` of session `n`, in one of two versions. */
function linesOf(n: number, part: number, version: number): string {
  const entries = Array.from({ length: URLS_OF_PART }, (_, i) => bulkyAt(part * URLS_OF_PART + i));
  const time = new Date(Date.UTC(2026, n, 1 + version)).toISOString().replace('.000', '');
  return entries.map((entry) => `${JSON.stringify({ ...entry, lastmod: time })}\n`).join('');
}

async function sendPart(id: string, n: number, part: number): Promise<{ part: number; digest: string }> {
  const route = `PUT ${SESSIONS}/${id}/parts/${part}`;
  const send = async (version: number) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await persist(route, { body: linesOf(n, part, version), headers });
    expect({ status: answer.status, json: answer.json }).toMatchObject({ status: 200 });
    return answer.json.data as { part: number; digest: string };
  };
  if (part % 3 === 0) await send(0);
  const twins = await Promise.all(Array.from({ length: part % 2 === 0 ? 2 : 1 }, () => send(1)));
  expect(new Set(twins.map(({ digest }) => digest)).size).toBe(1);
  return { part, digest: twins[0]!.digest };
}

test('a session publishes exactly its parts, whatever process was killed', async () => {
  const domain = await customers[0].verifiedDomain();
  await apis.whileKilled(async (isEnough) => {
    for (let n = 0; n < MIN_SESSIONS || !isEnough(); n++) {
      const opened = await persist(
        `POST ${SESSIONS}`,
        {
          body: { domain: domain.hostname, sizeLimit: 'gsc-optimized' },
          headers: { 'Idempotency-Key': `session-${n}` },
          // The process that had the key was killed.
        },
        ({ json }) => json.error?.details?.field === 'Idempotency-Key',
      );
      expect(opened.status).toBe(201);
      const { id } = opened.json.data;
      const wanted = Array.from({ length: PARTS }, (_, i) => i + 1);
      const parts: { part: number; digest: string }[] = [];
      await Promise.all(
        Array.from({ length: WRITERS }, async () => {
          for (let part = wanted.shift(); part !== undefined; part = wanted.shift()) {
            parts.push(await sendPart(id, n, part));
          }
        }),
      );
      // A part that the commit does not name.
      await persist(`PUT ${SESSIONS}/${id}/parts/99`, {
        body: { urls: [{ loc: 'https://www.example.com/stray' }] },
      });
      const isUnderWay = ({ json }: ApiAnswer) => json.error?.details?.status === 'committing';
      const commits = await Promise.all([
        persist(`POST ${SESSIONS}/${id}/commit`, { body: { parts } }, isUnderWay),
        persist(`POST ${SESSIONS}/${id}/commit`, { body: { parts: parts.toReversed() } }, isUnderWay),
      ]);
      const again = await persist(`POST ${SESSIONS}/${id}/commit`, { body: { parts } }, isUnderWay);
      for (const { status, json } of [...commits, again]) {
        expect({ status, json }).toMatchObject({
          status: 200,
          json: { data: { generation: n + 1, urlCount: PARTS * URLS_OF_PART } },
        });
        expect(json).toEqual(again.json);
      }
      const time = new Date(Date.UTC(2026, n, 2)).toISOString().replace('.000', '');
      await vi.waitFor(async () => {
        const found = await published(domain);
        expect(found.size).toBe(PARTS * URLS_OF_PART);
        expect(new Set(found.values())).toEqual(new Set([time]));
      }, SOON);
    }
  });
  expect(lost.answers).toBeGreaterThan(0);
});
