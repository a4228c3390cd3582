/** Clients that disconnect and processes that end or are killed in the middle of uploads. */
import { afterAll, expect, test, vi } from 'vitest';
import { head, openConnection } from '../service/support/raw-connection.ts';
import { document, servedCount } from './support/outage.ts';
import { resourcesOf, SOON, startService } from './support/running-service.ts';

const service = await startService({ UPLOADS_PER_ACCOUNT: '4', API_GRACE_MS: '1000' });
afterAll(() => service[Symbol.asyncDispose]());

const MINUTES = { timeout: 300_000 };
const POSITIONS = 200;
const AT_ONCE = 4;

test(
  `clients that disconnect at ${POSITIONS} positions of their upload leave nothing behind`,
  MINUTES,
  async () => {
    const site = await service.addCustomer();
    await site.customer.publish(document(site, 2100));
    await service.checkStored();
    const [stored, before] = [await service.stored(), await resourcesOf(service.api.pid)];
    const body = Buffer.concat([...document(site, 2200)]);
    const headers = { Host: 'api', 'X-API-Key': site.customer.key, 'Content-Type': 'application/json' };
    const request = Buffer.concat([
      Buffer.from(head('POST /api/sitemap/generate', { ...headers, 'Content-Length': body.length })),
      body,
    ]);
    const leaveAt = async (position: number, how: number) => {
      const { socket } = await openConnection(service.apiUrl);
      await new Promise((written) => socket.write(request.subarray(0, position), written));
      if (how % 3 === 0) socket.resetAndDestroy();
      else if (how % 3 === 1) socket.destroy();
      // The other half stays open for a moment.
      else socket.end();
    };
    // Evenly spread with a random shift; the last bytes are included.
    const positions = Array.from({ length: POSITIONS }, (_, n) =>
      Math.min(request.length - 1, Math.floor(((n + Math.random()) * request.length) / POSITIONS) + 1),
    );
    const line = [...positions.entries()];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = line.shift(); next !== undefined; next = line.shift())
          await leaveAt(next[1], next[0]);
      }),
    );
    await vi.waitFor(async () => {
      expect((await service.database.query('SELECT FROM upload_slots')).rowCount).toBe(0);
      expect((await service.database.query('SELECT FROM garbage')).rowCount).toBe(0);
    }, SOON);
    expect(await service.stored()).toEqual(stored);
    expect(await servedCount(service, site)).toBe(2100);
    await vi.waitFor(async () => {
      const after = await resourcesOf(service.api.pid);
      expect({ ...after, sockets: 0 }).toEqual({ ...before, sockets: 0 });
      expect(after.sockets).toBeLessThanOrEqual(before.sockets + 2);
    }, SOON);
    expect((await site.customer.upload(document(site, 2200))).status).toBe(200);
    expect(service.api.stderr()).toBe('');
  },
);

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s in the middle of uploads keeps the old content, and frees slots and files',
  MINUTES,
  async (signal) => {
    const site = await service.addCustomer();
    await site.customer.publish(document(site, 2100));
    const begun = Promise.withResolvers<void>();
    async function* endless() {
      yield* [...document(site, 9000)].slice(0, 8);
      begun.resolve();
      await new Promise(() => {});
    }
    await service.checkStored();
    const staged = (await service.stored('uploads/')).length;
    const uploads = Array.from({ length: 4 }, () =>
      site.customer.upload(endless()).then(
        ({ status }) => status,
        () => 'broken off',
      ),
    );
    await begun.promise;
    await vi.waitFor(async () => {
      expect((await service.stored('uploads/')).length).toBeGreaterThan(staged + 4);
    }, SOON);
    expect((await site.customer.upload(document(site, 2200))).status).toBe(429);

    const { api } = service;
    api.kill(signal);
    expect(await api.exited).toEqual(
      signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal },
    );
    expect(await Promise.all(uploads)).toEqual(Array(4).fill(signal === 'SIGTERM' ? 503 : 'broken off'));
    await service.restartApi();
    expect(await servedCount(service, site)).toBe(2100);
    if (signal === 'SIGTERM') {
      // The process removed the objects that it had staged.
      expect((await service.stored('uploads/')).length).toBe(staged);
      expect((await service.database.query('SELECT FROM upload_slots')).rowCount).toBe(0);
    }
    await vi.waitFor(async () => {
      expect((await site.customer.upload(document(site, 2200))).status).toBe(200);
    }, SOON);
    await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(2200), SOON);
    await service.checkStored();
  },
);
