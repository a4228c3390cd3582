/** Writes the directory of hosts into a folder store, as jobs do. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  HOST_SHARDS,
  HOSTS_PREFIX,
  hostHash,
  hostsKey,
  shardOf,
} from '../../src/features/sites/host-directory.ts';

export async function writeHostDirectory(folder: string, hostnames: Iterable<string>): Promise<void> {
  const shards = Array.from({ length: HOST_SHARDS }, (): Buffer[] => []);
  for (const hostname of hostnames) {
    const hash = hostHash(hostname);
    shards[shardOf(hash)]!.push(hash);
  }
  await mkdir(join(folder, HOSTS_PREFIX), { recursive: true });
  for (const [shard, hashes] of shards.entries()) {
    await writeFile(join(folder, hostsKey(shard)), Buffer.concat(hashes.sort(Buffer.compare)));
  }
}
