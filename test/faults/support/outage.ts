/**
 * Every outage must behave like this: uploads are refused, old content is served, and all is well soon after the end.
 */
import { expect, vi } from 'vitest';
import { fetchLocs } from '../../service/support/crawler.ts';
import type { ApiAnswer, Customer } from '../../service/support/customer.ts';
import { bulkyAt, uploadDocument } from '../../service/support/entries.ts';
import { type RunningService, resourcesOf, SOON } from './running-service.ts';

/** The promise is 5 s. The rest is for busy machines. */
const RECOVERY_MS = 15_000;

export interface Outage {
  /** The longest time until an upload gets its answer. */
  readonly answerMs: number;
  readonly begin: () => unknown;
  readonly end: () => unknown;
  /** Checks during the outage. */
  readonly meanwhile?: (site: Site) => Promise<void>;
}

export interface Site {
  readonly customer: Customer;
  readonly hostname: string;
}

/** Two files and a part of a third. The number of URLs identifies an upload. */
export function document({ hostname }: Site, urlCount: number): Iterable<Buffer> {
  return uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized', force: true }, urlCount, bulkyAt);
}

export async function servedCount(service: RunningService, { hostname }: Site): Promise<number> {
  const files = await fetchLocs(service, hostname, '/sitemap.xml').catch(() => undefined);
  if (files !== undefined) return files.length;
  let count = 0;
  for (let n = 1; n <= 3; n++) count += (await fetchLocs(service, hostname, `/sitemap.${n}.xml`)).length;
  return count;
}

export function expectOutage({ status, headers, json }: ApiAnswer): void {
  expect({ status, code: json.error?.code }).toEqual({ status: 500, code: 'INTERNAL_ERROR' });
  expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
  expect(JSON.stringify(json)).not.toMatch(/postgres|S3|ECONN|127\.0\.0\.1/i);
}

const HELD_SLOTS = 'SELECT FROM upload_slots WHERE expires_at > now()';
const OLD = 2345;
const NEW = 2456;

export async function endure(service: RunningService, outage: Outage): Promise<void> {
  const site = await service.addCustomer();
  const { customer } = site;
  await customer.publish(document(site, OLD));
  await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(OLD), SOON);
  const before = await resourcesOf(service.api.pid);
  // An upload that has begun must fare like one that begins now.
  const halfSent = Promise.withResolvers<void>();
  async function* slowly() {
    const chunks = [...document(site, NEW)];
    yield* chunks.slice(0, 2);
    await halfSent.promise;
    yield* chunks.slice(2);
  }
  const underWay = customer.upload(slowly());
  await vi.waitFor(async () => {
    expect((await service.database.query(HELD_SLOTS)).rowCount).toBe(1);
  }, SOON);

  await outage.begin();
  try {
    halfSent.resolve();
    const startedAt = performance.now();
    const answers = await Promise.all([underWay, customer.upload(document(site, NEW))]);
    expect(performance.now() - startedAt).toBeLessThan(outage.answerMs);
    for (const answer of answers) expectOutage(answer);
    expect(await servedCount(service, site)).toBe(OLD);
    await outage.meanwhile?.(site);
  } finally {
    await outage.end();
  }
  const endedAt = performance.now();
  await vi.waitFor(async () => {
    expect((await customer.upload(document(site, NEW))).status).toBe(200);
  }, SOON);
  expect(performance.now() - endedAt).toBeLessThan(RECOVERY_MS);
  await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(NEW), SOON);

  await service.checkStored();
  await vi.waitFor(async () => {
    expect((await service.database.query(HELD_SLOTS)).rowCount).toBe(0);
  }, SOON);
  // Idle connections to Postgres and the store stay open for up to 15 s.
  await vi.waitFor(async () => {
    const after = await resourcesOf(service.api.pid);
    expect({ threads: after.threads, files: after.files }).toEqual({
      threads: before.threads,
      files: before.files,
    });
    expect(after.sockets).toBeLessThanOrEqual(before.sockets + 2);
  }, SOON);
}
