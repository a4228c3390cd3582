/** Operations of rebuilds: all sites are written again from the database. A request asks for a rebuild, and jobs do it. */
import { z } from 'zod';
import { nameOfOperator } from '../../features/accounts/actor.ts';
import type { askRebuild } from '../../features/sites/rebuild-all.ts';
import type { findRebuild, listRebuilds, Rebuild } from '../../features/sites/rebuild-store.ts';
import type { Verb } from '../../platform/verb.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  existing,
  id,
  numbered,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from '../api/shapes.ts';
import { operatorOperation } from './operator-operation.ts';

export interface RebuildNeeds {
  readonly rebuilds: {
    readonly ask: Verb<typeof askRebuild>;
    readonly find: Verb<typeof findRebuild>;
    readonly list: Verb<typeof listRebuilds>;
  };
}

const rebuild = z
  .object({
    id: id('rebuild'),
    status: z.enum(['waiting', 'running', 'done']),
    askedBy: text,
    createdAt: time,
    workedAt: described(time.nullable(), 'Of the last progress. Null: no jobs process has begun.'),
    endedAt: time.nullable(),
    sites: described(count, 'Hostnames when it was asked for.'),
    written: count,
    removed: described(count, 'Hostnames that must not be served: their sites are removed.'),
    failed: count,
    failures: described(
      z.array(z.object({ hostname: text, reason: described(text, 'For people.') })).max(50),
      'The first ones. Write them again by `POST /operator/domains/{id}/rebuild`.',
    ),
  })
  .meta({ id: 'Rebuild' });

const WAITING = {
  ...{ id: 'rebuild_Y16He1Yn79PlDs9c4v8PXe', status: 'waiting', askedBy: 'operator token ci' },
  ...{ createdAt: '2026-01-15T10:00:00Z', workedAt: null, endedAt: null },
  ...{ sites: 1200, written: 0, removed: 0, failed: 0, failures: [] },
};
const ENDED = {
  ...{ ...WAITING, status: 'done', workedAt: '2026-01-15T10:02:09Z', endedAt: '2026-01-15T10:02:09Z' },
  ...{ written: 1100, removed: 100 },
};

export const rebuildOperations = tagged('Domains', [
  operatorOperation('post', '/operator/rebuilds', {
    id: 'createRebuild',
    summary: 'Writes the sites of all domains again from the database',
    description:
      'After a restore, or a change of PUBLIC_ORIGIN. Jobs processes do it, in the order of the hostnames, and go on when one dies: ' +
      'fetch the rebuild by its id until it has ended.',
    answer: answered(202, 'The rebuild waits for a jobs process.', rebuild, WAITING),
    errors: { CONFLICT: 'All sites are being written again already.' },
    run: async ({ rebuilds }: RebuildNeeds, { caller }) =>
      describeRebuild(await rebuilds.ask(nameOfOperator(caller))),
  }),
  operatorOperation('get', '/operator/rebuilds', {
    id: 'listRebuilds',
    summary: 'Lists rebuilds, the newest first; 100 are kept',
    query: PAGE_QUERY,
    answer: answeredPage('A page of rebuilds.', rebuild, ENDED),
    run: async ({ rebuilds }: RebuildNeeds, { page }) =>
      page({
        list: 'rebuilds',
        read: (limit, after) => rebuilds.list(limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeRebuild,
      }),
  }),
  operatorOperation('get', '/operator/rebuilds/{id}', {
    id: 'getRebuild',
    summary: 'Shows a rebuild and how far it is',
    answer: answered(200, 'The rebuild.', rebuild, ENDED),
    errors: { NOT_FOUND: 'There is no such rebuild.' },
    run: async ({ rebuilds }: RebuildNeeds, { path }) =>
      describeRebuild(existing(await rebuilds.find(path.id), 'rebuild')),
  }),
]);

function describeRebuild(given: Rebuild): Shown<typeof rebuild> {
  const status = given.endedAt !== null ? 'done' : given.workedAt === null ? 'waiting' : 'running';
  return shownAs(rebuild, { ...given, status });
}
