/**
 * Publishes the sites with a real Waypost over HTTP. This Waypost stops before the measurements. Only its folder of objects remains,
 * because a hosting server has no database.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import { registerHostname, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';
import { COMPARED_FILES } from './compared-files.ts';

export interface PublishedSites {
  /** The folder, for STORAGE_DIR. */
  readonly objects: string;
  /** The hostnames beside BENCH_HOSTNAME. BENCH_HOSTNAME has the compared files. */
  readonly hostnames: readonly string[];
}

/** With this number of parts and their index, each host has ten files. */
export const PARTS = 9;
const ENTRIES = PARTS * 1000;
/** More uploads at once are not faster on two cores. */
const AT_ONCE = 4;

/** `publishMore`: may publish more at BENCH_HOSTNAME. */
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
