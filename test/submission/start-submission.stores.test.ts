/** A jobs process takes its outbox and its settings from here. */
import { expect, test, vi } from 'vitest';
import { startSubmission } from '../../src/compose/start-queues.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { createReadCounts } from '../../src/operations/counts.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { createLog } from '../../src/platform/log.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { SOON } from '../support/soon.ts';
import { createSubmissionFixture } from './submission-fixture.ts';

const world = await createSubmissionFixture();
const { database, storage, endpoint, pages, otherPages } = world;

function start(scope: AsyncDisposableStack, environment: Record<string, string>) {
  const metrics = createMetrics();
  const ended: string[] = [];
  const openOutbox = startSubmission({
    ...{ database, storage, openChange: world.sites.openChange, metrics, scope, ask: world.options.ask },
    config: readConfig(environment),
    log: createLog('test', 'silent'),
    publicOrigin: 'https://{hostname}',
    readCount: createReadCounts(createMetrics(), database),
    reportJob: (name, outcome) => void ended.push(`${name} ${outcome}`),
  });
  return { openOutbox, metrics, ended };
}

test('two processes submit what comparisons commit, and count it', async () => {
  await using scope = new AsyncDisposableStack();
  const environment = { INDEXNOW_ENDPOINT: endpoint.url };
  const processes = [start(scope, environment), start(scope, environment)];
  const domain = await world.addDomain();
  const outbox = (await processes[0]!.openOutbox(world.comparisonOf(domain)))!;
  await outbox.add('added', [`${pages.origin}/1`, `${otherPages.origin}/2`]);
  for (const host of [pages, otherPages]) {
    host.behaviour = ({ url }, response) => void response.end(url!.slice(1, -'.txt'.length));
  }
  await outbox.settle();
  await inTransaction(database, (transaction) => outbox.commit(transaction));
  await vi.waitFor(() => {
    expect(endpoint.accepted().sort()).toEqual([`${pages.origin}/1`, `${otherPages.origin}/2`].sort());
  }, SOON);
  await scope.disposeAsync();
  expect(new Set(processes.flatMap(({ ended }) => ended))).toEqual(new Set(['indexnow done']));
  const counted = await Promise.all(
    processes.map(
      async ({ metrics }) => (await metrics.getSingleMetric('waypost_indexnow_urls_total')!.get()).values,
    ),
  );
  const submitted = counted.flat().filter(({ labels }) => labels.outcome === 'submitted');
  expect(submitted.reduce((sum, { value }) => sum + value, 0)).toBe(2);
});

test('without an endpoint there is no outbox, and nothing runs', async () => {
  await using scope = new AsyncDisposableStack();
  const { openOutbox, metrics } = start(scope, {});
  expect(await openOutbox(world.comparisonOf(await world.addDomain()))).toBeUndefined();
  expect(metrics.getMetricsAsArray()).toEqual([]);
});
