/**
 * The host directory lists the served hostnames. From the directory, hosting knows which hosts have no site, without a request to the store
 * for each host. The directory has one object per shard:
 *
 * ```
 * hosts/<shard>.bin     the hashes of the shard's hostnames, in ascending order
 * ```
 * A hash is the first 8 bytes of the SHA-256 of the hostname. The low six bits of its first byte are the number of the shard. With a
 * million hostnames, a shard has 125 kB, and all shards together have 8 MB. If a foreign hostname has a hash of the directory, hosting only
 * reads a `site.json` that does not exist. To find such a hostname takes 2^44 trials.
 */
import { hash } from 'node:crypto';

export const HOST_SHARDS = 64;
const HASH_BYTES = 8;

export const HOSTS_PREFIX = 'hosts/';
export const hostsKey = (shard: number) => `${HOSTS_PREFIX}${String(shard).padStart(2, '0')}.bin`;

/** Returns the hash of a hostname, as the directory stores it. */
export function hostHash(hostname: string): Buffer {
  return hash('sha256', hostname, 'buffer').subarray(0, HASH_BYTES);
}

export function shardOf(hash: Buffer): number {
  return hash[0]! % HOST_SHARDS;
}

/**
 * Whether `bytes` is a whole number of hashes of the shard. In a damaged shard, a search misses hosts, and crawlers get 404. A disk that
 * lost the bytes shows zeros, and no hostname has zeros as its hash.
 */
export function isShard(bytes: Buffer, shard: number): boolean {
  if (bytes.length % HASH_BYTES !== 0) return false;
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    const isZero = bytes.readUInt32BE(at) === 0 && bytes.readUInt32BE(at + 4) === 0;
    if (isZero || bytes[at]! % HOST_SHARDS !== shard) return false;
  }
  return true;
}

/** Searches a shard by bisection. `shard` has the bytes of its object. */
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
