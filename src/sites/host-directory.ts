/**
 * The host directory: which hostnames are served, so that hosting knows that a host has no site without asking the
 * store for it. It is as many objects as there are shards, each with the hashes of its hostnames:
 *
 * ```
 * hosts/<shard>.bin     the first 8 bytes of the SHA-256 of each hostname whose hash begins with the shard, in order
 * ```
 * The shard is the first byte's low six bits. At a million hostnames a shard has 125 kB, and all of them 8 MB. A host
 * that has the hash of another by chance, or by 2^44 trials, costs one look at its `site.json`, no more.
 */
import { hash } from 'node:crypto';

export const HOST_SHARDS = 64;
const HASH_BYTES = 8;

export const HOSTS_PREFIX = 'hosts/';
export const hostsKey = (shard: number) => `${HOSTS_PREFIX}${String(shard).padStart(2, '0')}.bin`;

/** The first bytes of a hostname's SHA-256, as the directory has it. */
export function hostHash(hostname: string): Buffer {
  return hash('sha256', hostname, 'buffer').subarray(0, HASH_BYTES);
}

export function shardOf(hash: Buffer): number {
  return hash[0]! % HOST_SHARDS;
}

/** Whether a shard is a whole number of hashes. */
export function isShard(bytes: Buffer): boolean {
  return bytes.length % HASH_BYTES === 0;
}

/** `shard`: the object's bytes. */
export function hasHash(shard: Buffer, hash: Buffer): boolean {
  let from = 0;
  let to = shard.length / HASH_BYTES;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const at = middle * HASH_BYTES;
    const order = shard.compare(hash, 0, HASH_BYTES, at, at + HASH_BYTES);
    if (order === 0) return true;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return false;
}
