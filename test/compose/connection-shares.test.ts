import { expect, test } from 'vitest';
import { connectionsFor, SHARES } from '../../src/compose/connection-shares.ts';

const NAMES = Object.keys(SHARES) as (keyof typeof SHARES)[];

test.each([10, 20, 50])(
  'of %i connections, at least a sixth is left for the requests of known keys',
  (connections) => {
    const shared = NAMES.map((name) => connectionsFor(name, { DATABASE_CONNECTIONS: connections }));
    const sum = shared.reduce((total, share) => total + share, 0);
    expect(connections - sum).toBeGreaterThanOrEqual(connections / 6);
  },
);

test('each has a connection, however few there are', () => {
  for (const name of NAMES) expect(connectionsFor(name, { DATABASE_CONNECTIONS: 1 })).toBe(1);
});
