/**
 * Writes the host directory from Postgres. A hostname enters the directory before its `site.json` is stored, and leaves
 * it after `site.json` is removed. So a host that is not in the directory has no site.
 */

import { readHostHashes } from '../domains/served-domain-store.ts';
import { type Database, inTransaction, type Transaction, whileIdle } from '../platform/postgres/database.ts';
import { type ObjectStorage, readBody } from '../platform/storage/object-storage.ts';
import { HOST_SHARDS, hostHash, hostsKey, shardOf } from './host-directory.ts';
import { lockHosts } from './site-store.ts';

export interface WriteHostsOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'putIfUnchanged'>;
}

/** Writes every shard that differs, for a store that is new or lost some. Returns the number of written shards. */
export async function writeAllHosts({ database, storage }: WriteHostsOptions): Promise<number> {
  let written = 0;
  for (let shard = 0; shard < HOST_SHARDS; shard++) {
    const outcome = await inTransaction(database, (transaction) => writeShard(storage, transaction, shard));
    if (outcome === 'overtaken')
      throw new Error(`shard ${shard} of the host directory changed while it was written`);
    if (outcome === 'written') written++;
  }
  return written;
}

/** Writes the shard of a hostname. `overtaken`: another writer replaced it meanwhile. */
export async function writeHostsWith(
  storage: WriteHostsOptions['storage'],
  transaction: Transaction,
  hostname: string,
): Promise<'written' | 'as it was' | 'overtaken'> {
  return writeShard(storage, transaction, shardOf(hostHash(hostname)));
}

async function writeShard(
  storage: WriteHostsOptions['storage'],
  transaction: Transaction,
  shard: number,
): Promise<'written' | 'as it was' | 'overtaken'> {
  await lockHosts(transaction, shard);
  const key = hostsKey(shard);
  const hosts = await readHostHashes(transaction, shard, HOST_SHARDS);
  return whileIdle(transaction, async () => {
    const former = await storage.get(key);
    if (former !== undefined && hosts.equals(await readBody(former, key))) return 'as it was';
    return (await storage.putIfUnchanged(key, [hosts], former)) ? 'written' : 'overtaken';
  });
}
