/** The page of the package for Python on many writers, as printed: stand-ins of Spark and Airflow run each task in a process of its own. */
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
const [CODE, DAG] = PAGE.split('## Many writers')[1]!
  .split('```python\n')
  .slice(1)
  .map((block) => block.split('```')[0]!) as [string, string];
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

/**
 * The decorators of Airflow, as far as the page has them. A task runs in a process of its own, again up to `retries` times; what it returns is
 * kept as JSON; a mapped task gives its results to the next one as a lazy sequence, which is no list; `run_id` is of the context.
 */
const AIRFLOW = `
import collections.abc, inspect, json, multiprocessing, os, sys, types

RUN_ID = "manual__2026-01-15T10:00:00.123456+00:00"

class Lazy(collections.abc.Sequence):
    def __init__(self, kept): self.kept = kept
    def __len__(self): return len(self.kept)
    def __getitem__(self, i): return json.loads(self.kept[i])

def in_process(run, attempt, name):
    def work(queue):
        os.environ["ATTEMPT"] = str(attempt)
        try:
            answer = json.dumps(run())
            # The process dies after the commit, before anybody knows of it.
            if name == "publish" and attempt == 0: raise RuntimeError("the machine is gone")
            queue.put(answer)
        except Exception as error:
            if not isinstance(error, RuntimeError): print(error)
            queue.put(None)
    queue = multiprocessing.get_context("fork").Queue()
    process = multiprocessing.get_context("fork").Process(target=work, args=(queue,))
    process.start()
    return process, queue

class Task:
    def __init__(self, run, retries=0, given={}): self.run, self.retries, self.given = run, retries, given
    def partial(self, **given): return Task(self.run, self.retries, given)
    def expand(self, **lists):
        [(name, values)] = lists.items()
        return self.all([{**self.given, name: value} for value in values])
    def __call__(self, *args):
        names = list(inspect.signature(self.run).parameters)
        return self.all([dict(zip(names, args))])[0]
    def all(self, calls):
        if "run_id" in inspect.signature(self.run).parameters: calls = [{**call, "run_id": RUN_ID} for call in calls]
        kept = [None] * len(calls)
        for attempt in range(self.retries + 1):
            begun = [(i, in_process(lambda call=call: self.run(**call), attempt, self.run.__name__)) for i, call in enumerate(calls) if kept[i] is None]
            for i, (process, queue) in begun:
                kept[i] = queue.get()
                process.join()
        assert None not in kept, "a task failed for good"
        return Lazy(kept)

def task(run=None, retries=0):
    return Task(run, retries) if run else lambda run: Task(run, retries)

sys.modules["airflow"] = types.ModuleType("airflow")
sys.modules["airflow.decorators"] = decorators = types.ModuleType("airflow.decorators")
decorators.task, decorators.dag = task, lambda build: build

def rows_of(number):
    for i in range(0 if number == 9 else 5):
        # The first attempt of every eighth task dies in the middle of its rows.
        if number % 8 == 0 and i == 3 and os.environ["ATTEMPT"] == "0": raise RuntimeError("the machine is gone")
        yield {"loc": f"https://www.example.com/{number}/{i}"}
`;

describe('many writers', needs('python3'), () => {
  test('of which each runs twice publish each row once, in order', async () => {
    const customer = await createCustomer(waypost);
    const { hostname } = await customer.verifiedDomain();
    const code = CODE.replaceAll('sitemaps.example.com', hostname);
    // The job starts again after its commit.
    const again = `same = wp.session("${hostname}", name="products", idempotency_key=f"products/{run_id}")
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

  test('that are mapped tasks of Airflow publish once, whatever is tried again', async () => {
    const customer = await createCustomer(waypost);
    const { hostname } = await customer.verifiedDomain();
    const code = DAG.replaceAll('sitemaps.example.com', hostname);
    // Its last line registers the DAG. Here it runs it. A run that is cleared has the same id, so it has the same session.
    const script = `${AIRFLOW}\n${code}\nprint(Waypost().get_session(begin())["status"])`;
    const ran = await runClient(['-c', script], {
      program: ['python3'],
      ...{ url: waypost.apiUrl, key: customer.key, stdin: '', cwd: PROJECT },
      environment: { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const numbers = Array.from({ length: 64 }, (_, n) => n + 1).filter((n) => n !== 9);
    const urls = numbers.flatMap((n) => [0, 1, 2, 3, 4].map((i) => `https://www.example.com/${n}/${i}`));
    expect(ran).toEqual({ code: 0, stdout: 'committed\n', stderr: '' });
    await vi.waitFor(
      async () => expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(urls),
      SOON,
    );
  });
});
