/**
 * Writes the host directory from Postgres. A hostname enters the directory before its `site.json` is stored, and leaves it after
 * `site.json` is removed. So a host that is not in the directory has no site.
 */
import {
  type Database,
  inTransaction,
  type Transaction,
  whileIdle,
} from '../../platform/postgres/database.ts';
import { type ObjectStorage, readBody } from '../../platform/storage/object-storage.ts';
import { readHostHashes } from '../domains/served-domain-store.ts';
import { HOST_SHARDS, hostHash, hostsKey, shardOf } from './host-directory.ts';
import { lockHosts } from './site-store.ts';

export interface WriteHostsOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'putIfUnchanged'>;
}

/**
 * Writes every shard that differs from the database. So it fills a new store, and repairs a store that has lost shards. Returns the number
 * of written shards.
 */
export async function writeAllHosts({ database, storage }: WriteHostsOptions): Promise<number> {
  let written = 0;
  for (let shard = 0; shard < HOST_SHARDS; shard++) {
    const outcomes = await inTransaction(database, (transaction) =>
      writeShards(storage, transaction, [shard]),
    );
    const outcome = await outcomes.get(shard);
    if (outcome === 'overtaken')
      throw new Error(`shard ${shard} of the host directory changed while it was written`);
    if (outcome === 'written') written++;
  }
  return written;
}

/**
 * Writes the shards of hostnames. Returns a function that tells the outcome for the shard of a hostname, or rejects with the error of the
 * store. `overtaken`: another writer replaced the shard meanwhile.
 */
export async function writeHostsWith(
  storage: WriteHostsOptions['storage'],
  transaction: Transaction,
  hostnames: readonly string[],
): Promise<(hostname: string) => Promise<ShardOutcome>> {
  const shardOfHost = (hostname: string) => shardOf(hostHash(hostname));
  const outcomes = await writeShards(storage, transaction, [...new Set(hostnames.map(shardOfHost))]);
  return (hostname) => outcomes.get(shardOfHost(hostname))!;
}

type ShardOutcome = 'written' | 'as it was' | 'overtaken';

/** The promises in the result are settled. */
async function writeShards(
  storage: WriteHostsOptions['storage'],
  transaction: Transaction,
  shards: readonly number[],
): Promise<Map<number, Promise<ShardOutcome>>> {
  if (shards.length === 0) return new Map();
  await lockHosts(transaction, shards);
  const hosts = await readHostHashes(transaction, shards, HOST_SHARDS);
  return whileIdle(transaction, async () => {
    const writes = new Map(shards.map((shard) => [shard, writeShard(storage, shard, hosts.get(shard)!)]));
    await Promise.allSettled(writes.values());
    return writes;
  });
}

async function writeShard(
  storage: WriteHostsOptions['storage'],
  shard: number,
  hosts: Buffer,
): Promise<ShardOutcome> {
  const key = hostsKey(shard);
  const former = await storage.get(key);
  if (former !== undefined && hosts.equals(await readBody(former, key))) return 'as it was';
  return (await storage.putIfUnchanged(key, [hosts], former)) ? 'written' : 'overtaken';
}
