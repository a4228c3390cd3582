/** Versions of Postgres, as servers report them. */
import { expect, test } from 'vitest';
import { requireVersion } from '../../src/core/schema/migrate.ts';
import type { Queryable } from '../../src/platform/postgres/database.ts';

const reporting = (version: string, number: number) =>
  ({ query: async () => ({ rows: [{ version, number }] }) }) as unknown as Queryable;

test('a Postgres before 15 is refused with its version, and newer ones are taken', async () => {
  await expect(requireVersion(reporting('14.20 (Debian 14.20-1)', 140_020))).rejects.toThrow(
    'This is Postgres 14.20 (Debian 14.20-1). Waypost needs Postgres 15 or newer.',
  );
  await requireVersion(reporting('15.0', 150_000));
  await requireVersion(reporting('18.1', 180_001));
});
