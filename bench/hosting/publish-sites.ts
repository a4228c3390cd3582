/**
 * The sites that are served: published by a real Waypost over HTTP, which is stopped before anything is measured.
 * Its folder of objects is all that is left of it, as a hosting server has no database.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import type { WaypostProcess } from '../../src/demo/waypost-process.ts';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';
import { COMPARED_FILES } from './compared-files.ts';

export interface PublishedSites {
  /** The folder, for STORAGE_DIR. */
  readonly objects: string;
  /** Beside BENCH_HOSTNAME, which has the files of the comparison. */
  readonly hostnames: readonly string[];
}

/** So each host has ten files, with the index that names the parts. */
export const PARTS = 9;
const ENTRIES = PARTS * 1000;
/** More do not publish faster on two cores. */
const AT_ONCE = 4;

/** `publishMore` may publish more at BENCH_HOSTNAME. */
export async function publishSites(
  objects: string,
  hosts: number,
  publishMore: (waypost: WaypostProcess) => Promise<void> = async () => {},
): Promise<PublishedSites> {
  await using waypost = await startBenchWaypost();
  for (const { sitemapName, count, entriesOf } of COMPARED_FILES) {
    await uploadSeconds(waypost, uploadBody(entriesOf(count), { members: { sitemapName } }), count);
  }
  const hostnames = Array.from({ length: hosts }, (_, n) => `host-${n}.localhost`);
  const entries = plainEntries(ENTRIES);
  await pMap(hostnames, (hostname) => publishParts(waypost, hostname, entries), { concurrency: AT_ONCE });
  await publishMore(waypost);
  await cp(join(waypost.dataDir, 'objects'), objects, { recursive: true });
  return { objects, hostnames };
}

async function publishParts(waypost: WaypostProcess, hostname: string, entries: Buffer): Promise<void> {
  await registerHostname(waypost, hostname);
  const members = { domain: hostname, sizeLimit: 'gsc-optimized' };
  await uploadSeconds(waypost, uploadBody(entries, { members }), ENTRIES);
}
