/** A rendering thread dies, takes all memory or never ends, in the middle of one upload and beside others. */
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { uploadDocument } from '../service/support/entries.ts';
import { FAULTS } from './support/break-threads.ts';
import { document, expectOutage, servedCount } from './support/outage.ts';
import { resourcesOf, SOON, startService } from './support/running-service.ts';

const PRELOADED = fileURLToPath(new URL('./support/break-threads.ts', import.meta.url));
// Threads do not inherit modules from --import, but they do from --require.
const service = await startService({
  NODE_OPTIONS: `--require=${PRELOADED}`,
  RENDER_THREADS: '2',
  // JSON.parse must parse each entry.
  TRANSCODE_ENTRIES: 'false',
});
afterAll(() => service[Symbol.asyncDispose]());

// A batch that never ends is abandoned after a minute.
test.each(FAULTS)('%s: its upload fails, and no other', { timeout: 300_000 }, async (fault) => {
  const [site, other] = [await service.addCustomer(), await service.addCustomer()];
  await site.customer.publish(document(site, 2345));
  await other.customer.publish(document(other, 1999));
  await service.checkStored();
  const [{ pid }, before] = [service.api, await resourcesOf(service.api.pid)];
  const poisoned = uploadDocument({ domain: site.hostname, sizeLimit: 'gsc-optimized' }, 20_000, (index) => ({
    loc: `https://www.example.com/${index === 12_345 ? fault : index}`,
  }));

  let isOver = false;
  const upload = site.customer.upload(poisoned).finally(() => {
    isOver = true;
  });
  // Three files, each time with another number of entries.
  let count = 2001;
  for (; !isOver; count = count === 3000 ? 2001 : count + 1) {
    await other.customer.publish(document(other, count));
  }
  expectOutage(await upload);
  await vi.waitFor(
    async () => expect(await servedCount(service, other)).toBe(count === 2001 ? 3000 : count - 1),
    SOON,
  );
  expect(await servedCount(service, site)).toBe(2345);

  expect((await site.customer.upload(document(site, 2456))).status).toBe(200);
  await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(2456), SOON);
  await service.checkStored();
  expect(service.api.pid).toBe(pid);
  await vi.waitFor(async () => {
    const after = await resourcesOf(service.api.pid);
    expect({ threads: after.threads, files: after.files }).toEqual({
      threads: before.threads,
      files: before.files,
    });
  }, SOON);
});
