import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  HOST_SHARDS,
  hasHash,
  hostHash,
  hostsKey,
  shardOf,
} from '../../src/features/sites/host-directory.ts';

test('a shard has exactly the hosts that were put into it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.domain(), { maxLength: 50 }), fc.domain(), (hosts, other) => {
      const shard = Buffer.concat(hosts.map(hostHash).sort(Buffer.compare));
      for (const host of hosts) expect(hasHash(shard, hostHash(host))).toBe(true);
      expect(hasHash(shard, hostHash(other))).toBe(hosts.includes(other));
    }),
  );
});

test('hosts are spread over the shards, and each shard has its own key', () => {
  const shards = Array.from({ length: 6_400 }, (_, n) => shardOf(hostHash(`h${n}.example.com`)));
  const sizes = Map.groupBy(shards, (shard) => shard);
  expect(sizes.size).toBe(HOST_SHARDS);
  for (const { length } of sizes.values()) expect(length).toBeLessThan(200);
  expect(new Set(Array.from(sizes.keys(), hostsKey)).size).toBe(HOST_SHARDS);
});
