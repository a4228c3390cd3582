/**
 * Writes the host directory from Postgres. A hostname stands in it before its `site.json` is stored and until after it
 * is removed, so that a host that hosting does not find there has no site.
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

/** All of it, where it differs: for a store that lost some, or has none yet. Returns how many shards were written. */
export async function writeAllHosts({ database, storage }: WriteHostsOptions): Promise<number> {
  let written = 0;
  for (let shard = 0; shard < HOST_SHARDS; shard++) {
    const outcome = await inTransaction(database, (transaction) => writeShard(storage, transaction, shard));
    if (outcome === 'overtaken')
      throw new Error(`shard ${shard} of the host directory was changed meanwhile`);
    if (outcome === 'written') written++;
  }
  return written;
}

/** The part that a hostname belongs to; `overtaken` when someone else replaced it meanwhile. */
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
