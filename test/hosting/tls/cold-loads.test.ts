import { expect, test } from 'vitest';
import { Busy } from '../../../src/edges/hosting/bodies/busy.ts';
import { ColdLoads } from '../../../src/edges/hosting/tls/cold-loads.ts';

test('clients take turns, and one that asks for many delays only itself', async () => {
  const loads = new ColdLoads();
  const order: string[] = [];
  const load = (client: string) => loads.run(client, () => order.push(client));
  await Promise.all([...Array.from({ length: 60 }, () => load('greedy')), load('a'), load('b')]);
  expect(order).toHaveLength(62);
  expect(order.lastIndexOf('a')).toBeLessThan(10);
  expect(order.lastIndexOf('b')).toBeLessThan(10);
});

test('too many are refused, and a load that fails lets the next one begin', async () => {
  const loads = new ColdLoads();
  const failing = loads.run('x', () => {
    throw new Error('damaged');
  });
  const waiting = Array.from({ length: 1_000 }, () => loads.run('x', () => 'loaded'));
  expect(() => loads.run('x', () => 'refused')).toThrow(Busy);
  await expect(failing).rejects.toThrow('damaged');
  expect(await waiting[0]).toBe('loaded');
  await Promise.all(waiting);
});
