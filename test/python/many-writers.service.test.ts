/** The page of the package for Python on many writers, as printed: Spark's stand-in runs each partition twice, in processes of their own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { runClient } from '../client/support/run-client.ts';
import { fetchLocs } from '../service/support/crawler.ts';
import { createCustomer } from '../service/support/customer.ts';
import { useWaypost } from '../service/support/use-waypost.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';

const FOLDER = join(PROJECT, 'python');
const PAGE = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const CODE = PAGE.split('## Many writers')[1]!.split('```python\n')[1]!.split('```')[0]!;
const waypost = await useWaypost();

/**
 * Like Spark with speculation: each partition runs in two processes at once, and the answer that comes first is accepted. The first run of
 * a partition dies in the middle of its rows.
 */
const SPARK = `
import multiprocessing

class Row(dict):
    def asDict(self): return dict(self)

def dying(rows):
    for i, row in enumerate(rows):
        if i == 3: raise RuntimeError("the machine is gone")
        yield row

class Frame:
    def __init__(self, partitions): self.partitions = partitions
    rdd = property(lambda self: self)
    def select(self, *names): return self
    def mapPartitionsWithIndex(self, run):
        self.run = run
        return self
    def task(self, queue, n, rows):
        try:
            queue.put((n, list(self.run(n, rows))))
        except Exception as error:
            if not isinstance(error, RuntimeError): print(error)
            queue.put((n, None))
    def collect(self):
        context = multiprocessing.get_context("fork")
        queue, tasks = context.Queue(), []
        for n, rows in enumerate(self.partitions):
            for one in [dying(rows) if n == 2 else rows, rows, rows]:
                tasks.append(context.Process(target=self.task, args=(queue, n, one)))
        for task in tasks: task.start()
        accepted = {}
        for _ in tasks:
            n, answers = queue.get()
            if answers is not None: accepted.setdefault(n, answers)
        for task in tasks: task.join()
        return [answer for n in accepted for answer in accepted[n]]

def rows_of(n):
    return [Row(loc=f"https://www.example.com/{n}/{i}", lastmod=None) for i in range(0 if n == 5 else 40 + n)]

df = Frame([rows_of(n) for n in range(7)])
`;

describe('many writers', needs('python3'), () => {
  test('of which each runs twice publish each row once, in order', async () => {
    const customer = await createCustomer(waypost);
    const { hostname } = await customer.verifiedDomain();
    const code = CODE.replaceAll('sitemaps.example.com', hostname);
    // The job starts again after its commit.
    const again = `same = wp.session("${hostname}", name="products", idempotency_key=run_id)
print(same == session, wp.commit(same, parts)["urlCount"])
wp.abort(wp.session("${hostname}"))`;
    const script = `run_id = "run-1"\n${SPARK}\n${code}\n${again}`;
    const ran = await runClient(['-c', script], {
      program: ['python3'],
      ...{ url: waypost.apiUrl, key: customer.key, stdin: '', cwd: PROJECT },
      environment: { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const counts = [0, 1, 2, 3, 4, 5, 6].map((n) => (n === 5 ? 0 : 40 + n));
    const urls = counts.flatMap((count, n) =>
      Array.from({ length: count }, (_, i) => `https://www.example.com/${n}/${i}`),
    );
    expect(ran).toEqual({ code: 0, stdout: `True ${urls.length}\n`, stderr: '' });
    await vi.waitFor(
      async () => expect(await fetchLocs(waypost, hostname, '/sitemap-products.xml')).toEqual(urls),
      SOON,
    );
  });
});
