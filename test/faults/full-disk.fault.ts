/** Object storage in a folder on a full disk: a small file system in memory. Mounting it takes root. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { entries } from '../service/support/entries.ts';
import { document, expectOutage, servedCount } from './support/outage.ts';
import { resourcesOf, startService } from './support/running-service.ts';

const folder = await mkdtemp(join(tmpdir(), 'waypost-disk-'));
const isMounted = mount();
afterAll(async () => {
  if (isMounted) execFileSync('umount', [folder]);
  await rm(folder, { recursive: true });
});

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('SKIPPING TESTS: only root can mount a small disk.');
    return false;
  }
}

test.skipIf(!isMounted)(
  'uploads that do not fit fail and leave nothing, and smaller ones succeed',
  {
    timeout: 120_000,
  },
  async () => {
    await using service = await startService({ STORAGE_DIR: folder });
    const site = await service.addCustomer();
    await site.customer.publish(document(site, 2100));
    await service.checkStored();
    const [stored, before] = [await service.stored(), await resourcesOf(service.api.pid)];
    // Random, so that it does not compress.
    const urls = entries(50_000, () => ({
      loc: `https://www.example.com/${randomBytes(60).toString('hex')}`,
    }));
    for (let n = 0; n < 3; n++) {
      expectOutage(await site.customer.upload({ domain: site.hostname, sizeLimit: 'gsc-optimized', urls }));
      expectOutage(await site.customer.upload({ domain: site.hostname, urls }));
      expect(await servedCount(service, site)).toBe(2100);
      await expect.poll(() => service.stored()).toEqual(stored);
    }
    expect(await resourcesOf(service.api.pid)).toMatchObject({
      threads: before.threads,
      files: before.files,
    });
    expect((await site.customer.upload(document(site, 2200))).status).toBe(200);
    await expect.poll(() => servedCount(service, site)).toBe(2200);
    await service.checkStored();
  },
);
