/** The package for Python: its rows, its safeties, its wheel, and the recipes of its page as printed. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { API_KEY, type Script, startFakeWaypost } from '../client/support/fake-waypost.ts';
import { PUBLISHED, UPLOAD } from '../client/support/published.ts';
import { type ClientOptions, runClient, startClient } from '../client/support/run-client.ts';
import { ARROW_PYTHON, needs } from '../support/needs.ts';
import { SOON, settled } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { testServerKeys } from '../support/test-authority.ts';

const FOLDER = join(PROJECT, 'python');
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const waypost = await startFakeWaypost();

function optionsOf({ program = 'python3', path = FOLDER, cwd = PROJECT } = {}): ClientOptions {
  return {
    program: [program],
    url: waypost.url,
    cwd,
    environment: { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' },
  };
}

const run = (script: string, options?: Parameters<typeof optionsOf>[0]) =>
  runClient(['-c', script], optionsOf(options));

const publish: Script = async (_seen, request) => {
  await request.whole();
  return { data: PUBLISHED };
};

function inTurn(...scripts: Script[]): void {
  let turn = 0;
  waypost.play((seen, request) => scripts[Math.min(turn++, scripts.length - 1)]!(seen, request));
}

const bodyOf = (n = 0) => gunzipSync(waypost.seen[n]!.body).toString();
const linesOf = (n = 0) =>
  bodyOf(n)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Uploads the rows of an expression and returns the entries that came. */
async function entriesOf(rows: string, options = '', before = '', program = 'python3'): Promise<unknown[]> {
  inTurn(publish);
  const script = `import datetime, decimal\nfrom waypost import Waypost\n${before}\nprint(Waypost().upload(${rows}, domain="maps.example.com"${options})["generation"])`;
  expect(await run(script, { program })).toEqual({ code: 0, stdout: '7\n', stderr: '' });
  return linesOf();
}

const LOC = 'https://www.example.com/ü';

describe('rows', needs('python3'), () => {
  test('may be a Parquet file, which is sent as it is, with the columns in the query', async () => {
    const file = randomBytes(200_000);
    const path = join(await createTemporaryFolder(), 'urls.parquet');
    await writeFile(path, file);
    inTurn(publish);
    const script = (name: string) =>
      `from pathlib import Path\nfrom waypost import Waypost\nWaypost().upload(Path("${name}"), domain="maps.example.com", columns={"loc": "url, all"})`;
    expect(await run(script(path))).toMatchObject({ code: 0, stderr: '' });
    const [seen] = waypost.seen;
    expect(seen!.headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(seen!.headers['content-encoding']).toBeUndefined();
    expect(seen!.query).toEqual({ domain: 'maps.example.com', columns: '"loc:url, all"' });
    expect(seen!.body.equals(file)).toBe(true);
    expect((await run(script('urls.csv'))).stderr).toContain('urls.csv is no Parquet file');
  });

  test('are texts, dicts, generators and functions', async () => {
    const expected = [{ loc: LOC }, { loc: LOC }];
    for (const rows of [
      `["${LOC}"] * 2`,
      `[{"loc": "${LOC}"}] * 2`,
      `("${LOC}" for _ in range(2))`,
      `lambda: iter(["${LOC}"] * 2)`,
      `__import__("io").StringIO("${LOC}\\r\\n${LOC}\\n", newline="")`,
    ]) {
      expect(await entriesOf(rows)).toEqual(expected);
    }
    const [seen] = waypost.seen;
    expect(seen).toMatchObject({ route: UPLOAD, query: { domain: 'maps.example.com' } });
    expect(seen!.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
  });

  test('have dates, decimals and nested values; nothing is absent', async () => {
    const row = `{"loc": "${LOC}", "lastmod": datetime.datetime(2026, 1, 15, 10, tzinfo=datetime.timezone.utc), "priority": decimal.Decimal("0.80"),
      "changefreq": float("nan"), "images": [{"loc": "${LOC}", "title": None}], "news": None}`;
    expect(await entriesOf(`[${row}, {"loc": "${LOC}", "lastmod": datetime.date(2026, 1, 15)}]`)).toEqual([
      { loc: LOC, lastmod: '2026-01-15T10:00:00+00:00', priority: 0.8, images: [{ loc: LOC }] },
      { loc: LOC, lastmod: '2026-01-15' },
    ]);
  });

  test('may have other columns, with values of any type', async () => {
    const row = `{"loc": "${LOC}", "seen": datetime.datetime(2026, 1, 15), "digest": b"1"}`;
    expect(await entriesOf(`[${row}]`)).toEqual([{ loc: LOC }]);
    // The service says which text to name loc.
    expect(await entriesOf(`[{"url": "${LOC}", "id": 7, "seen": datetime.date(2026, 1, 15)}]`)).toEqual([
      { url: LOC },
    ]);
  });

  test.each([
    ['{"loc": "u", "lastmodd": "at"}', "'lastmodd' is none of loc, lastmod"],
    ['"loc:u"', "'loc:u' is none of loc, lastmod"],
  ])('of columns that are no members raise an error: %s', async (columns, message) => {
    inTurn(publish);
    const script = `from waypost import Waypost\nWaypost().upload([{"u": "${LOC}", "at": "2026-01-15"}], "a.example", columns=${columns})`;
    expect((await run(script)).stderr).toContain(message);
    expect(waypost.seen).toEqual([]);
  });

  test('may be frames that come one by one', async () => {
    const frames = `class Frame:\n  def iter_rows(self, named): return [{"url": "${LOC}", "sku": 7}]`;
    expect(await entriesOf('(Frame() for _ in range(2))', ', columns={"loc": "url"}', frames)).toEqual([
      { loc: LOC },
      { loc: LOC },
    ]);
  });

  test('may be read by pandas in portions', needs('pandas'), async () => {
    const read = `import io, pandas\nfile = io.StringIO("url,updated\\n" + "${LOC},2026-01-15\\n" * 3)`;
    const columns = ', columns={"loc": "url", "lastmod": "updated"}';
    const rows = await entriesOf('pandas.read_csv(file, chunksize=2)', columns, read, '/usr/bin/python3');
    expect(rows).toEqual(Array(3).fill({ loc: LOC, lastmod: '2026-01-15' }));
  });

  test('may have names of their own, and come in batches', async () => {
    const arrow = `class Batch:\n  def to_pylist(self): return [{"url": "${LOC}", "sku": 7}]\nclass Table:\n  def to_batches(self): return [Batch(), Batch()]`;
    expect(await entriesOf('Table()', ', columns={"loc": "url"}', arrow)).toEqual([
      { loc: LOC },
      { loc: LOC },
    ]);
  });

  test.each([
    ['[{"loc": "x", "lastmod": datetime.datetime(2026, 1, 15)}]', '', "timezone='Europe/Berlin'"],
    ['"https://www.example.com/"', '', 'must be a list'],
    ['[("https://www.example.com/", "2026-01-15")]', '', 'A row is a tuple. Rows are URLs, dicts'],
    ['[{"loc": object()}]', '', 'has no place in an entry'],
    ['[]', ', sitemap="x"', 'has no option sitemap'],
    [`["${LOC}"]`, ', idempotency_key="список"', 'An idempotency key has'],
  ])('that cannot be sent raise an error: %s', async (rows, options, message) => {
    inTurn(publish);
    const { code, stderr } = await run(
      `import datetime\nfrom waypost import Waypost\nWaypost().upload(${rows}, domain="a.example"${options})`,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(waypost.seen.map(({ end }) => end)).not.toContain('whole');
  });
});

describe('DataFrames', needs('pandas'), () => {
  const frame = `
import pandas
frame = pandas.DataFrame({
  "url": ["https://www.example.com/1", "https://www.example.com/2", "https://www.example.com/3"],
  "at": pandas.to_datetime(["2026-01-15 10:00:00", "2026-01-15 10:00:00.123456", None]).tz_localize("Europe/Berlin"),
  "naive": pandas.to_datetime(["2026-01-15 10:00:00", None, None]),
  "score": [0.5, float("nan"), 1.0], "stock": pandas.array([3, None, 5], dtype="Int64"),
  "often": pandas.Categorical(["daily", None, "weekly"])})`;

  test('are read column by column; NaT, NaN and NA are absent', async () => {
    const columns = ', columns={"loc": "url", "lastmod": "at", "priority": "score", "changefreq": "often"}';
    expect(await entriesOf('frame', columns, frame, '/usr/bin/python3')).toEqual([
      {
        loc: 'https://www.example.com/1',
        lastmod: '2026-01-15T09:00:00Z',
        priority: 0.5,
        changefreq: 'daily',
      },
      { loc: 'https://www.example.com/2', lastmod: '2026-01-15T09:00:00.123456Z' },
      { loc: 'https://www.example.com/3', priority: 1, changefreq: 'weekly' },
    ]);
  });

  test('with times without a zone need one', async () => {
    const columns = ', columns={"loc": "url", "lastmod": "naive"}, timezone="UTC"';
    expect((await entriesOf('frame', columns, frame, '/usr/bin/python3'))[0]).toEqual({
      loc: 'https://www.example.com/1',
      lastmod: '2026-01-15T10:00:00',
    });
    expect(waypost.seen[0]!.query).toMatchObject({ timezone: 'UTC' });
    inTurn(publish);
    const script = `from waypost import Waypost\n${frame}\nWaypost().upload(frame, domain="a.example", columns={"loc": "url", "lastmod": "naive"})`;
    expect((await run(script, { program: '/usr/bin/python3' })).stderr).toContain('A time has no time zone');
  });

  test('without a loc raise an error that says how to name it', async () => {
    const script = `from waypost import Waypost\n${frame}\nWaypost().upload(frame, domain="a.example")`;
    expect((await run(script, { program: '/usr/bin/python3' })).stderr).toContain("columns={'loc': 'url'}");
    const unnamed = `import pandas\nfrom waypost import Waypost\nWaypost().upload(pandas.DataFrame([["${LOC}"]]), domain="a.example")`;
    expect((await run(unnamed, { program: '/usr/bin/python3' })).stderr).toContain("columns={'loc': 0}");
  });
});

test('DataFrames of Arrow have the times and dates of Arrow', needs('pyarrow'), async () => {
  const frame = `
import datetime, pandas, pyarrow
def column(values, type): return pandas.Series(values, dtype=pandas.ArrowDtype(type))
at = datetime.datetime(2026, 1, 15, 10, tzinfo=datetime.timezone.utc)
frame = pandas.DataFrame({
  "loc": column(["https://www.example.com/1", "https://www.example.com/2"], pyarrow.string()),
  "lastmod": column([at, None], pyarrow.timestamp("ns", "Europe/Berlin")),
  "day": column([None, at.date()], pyarrow.date32())})`;
  const loc = 'https://www.example.com/';
  expect(await entriesOf('frame', '', frame, ARROW_PYTHON)).toEqual([
    { loc: `${loc}1`, lastmod: '2026-01-15T10:00:00Z' },
    { loc: `${loc}2` },
  ]);
  const dates = ', columns={"loc": "loc", "lastmod": "day"}';
  expect(await entriesOf('frame', dates, frame, ARROW_PYTHON)).toEqual([
    { loc: `${loc}1` },
    { loc: `${loc}2`, lastmod: '2026-01-15' },
  ]);
});

describe('safeties', needs('python3'), () => {
  const many = '[f"https://www.example.com/{n}" for n in range(20000)]';
  const lose: Script = async (_seen, request) => {
    await request.read(1000);
    return 'drop' as const;
  };
  const restart: Script = async (_seen, request) => {
    await request.whole();
    return {
      status: 503,
      headers: { 'Retry-After': '0' },
      error: { code: 'SERVICE_UNAVAILABLE', message: 'No.' },
    };
  };

  test('what can be read again is sent again: the same bytes under one key', async () => {
    for (const rows of [many, `lambda: iter(${many})`]) {
      inTurn(restart, lose, publish);
      const { code } = await run(
        `from waypost import Waypost\nWaypost().upload(${rows}, "a.example", idempotency_key="run-1")`,
      );
      expect(code).toBe(0);
      expect(waypost.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([
        'run-1',
        'run-1',
        'run-1',
      ]);
      expect(waypost.seen[2]!.body.equals(waypost.seen[0]!.body)).toBe(true);
    }
  });

  test('a cursor that is no iterator is read once', async () => {
    inTurn(lose, publish);
    const script = `from waypost import Waypost
class Cursor:
    at = 0
    def __iter__(self):
        while self.at < 20000:
            self.at += 1
            yield {"loc": f"https://www.example.com/{self.at}"}
Waypost().upload(Cursor(), "a.example")`;
    const { code, stderr } = await run(script);
    expect({ code, requests: waypost.seen.length }).toEqual({ code: 1, requests: 1 });
    expect(stderr).toContain('A generator or a cursor cannot be read again');
  });

  test.each(['<html>No server is there</html>', '{"error":"Bad Gateway"}', '"no"'])(
    'a 503 of a proxy is tried again: %s',
    async (text) => {
      inTurn(async (_seen, request) => {
        await request.whole();
        return { status: 503, text };
      }, publish);
      const { code } = await run(
        `from waypost import Waypost\nWaypost().upload(["https://www.example.com/"], "a.example")`,
      );
      expect({ code, requests: waypost.seen.length }).toEqual({ code: 0, requests: 2 });
    },
  );

  test('a service that asks for a wait of more than ten minutes ends it', async () => {
    inTurn(async (_seen, request) => {
      await request.whole();
      return {
        status: 503,
        headers: { 'Retry-After': '601' },
        error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.' },
      };
    }, publish);
    const { code, stderr } = await run(`from waypost import Waypost\nWaypost().upload(["x"], "a.example")`);
    expect({ code, requests: waypost.seen.length }).toEqual({ code: 1, requests: 1 });
    expect(stderr).toContain('SERVICE_UNAVAILABLE: Later.');
  });

  test('no connection is opened before the first row is there', async () => {
    inTurn(publish);
    const script = `from waypost import Waypost
def rows():
    print("asked", flush=True)
    input()
    yield "https://www.example.com/"
Waypost().upload(rows, "a.example")`;
    const { child, ended } = startClient(['-c', script], optionsOf());
    onTestFinished(() => void child.kill());
    let said = '';
    child.stdout!.on('data', (text) => {
      said += text;
    });
    await vi.waitFor(() => expect(said).toBe('asked\n'), SOON);
    expect({ connections: waypost.connections, requests: waypost.seen }).toEqual({
      connections: 0,
      requests: [],
    });
    child.stdin!.end('go on\n');
    expect((await settled(ended, 'the end of the upload')).code).toBe(0);
    expect(waypost.connections).toBe(1);
  });

  test('a generator is sent once, and the error says why', async () => {
    inTurn(lose, publish);
    const { code, stderr } = await run(
      `from waypost import Waypost\nWaypost().upload(iter(${many}), "a.example")`,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('Pass a function that makes it');
    expect(waypost.seen).toHaveLength(1);
  });

  test('a function that returns the same generator again does not publish its rest', async () => {
    inTurn(lose, publish);
    const { code, stderr } = await run(
      `from waypost import Waypost\nrows = iter(${many})\nWaypost().upload(lambda: rows, "a.example")`,
    );
    expect({ code, requests: waypost.seen.length }).toEqual({ code: 1, requests: 1 });
    expect(stderr).toContain('your function returned the same generator again');
  });

  test('rows that raise publish nothing', async () => {
    inTurn(publish);
    const script = `
from waypost import Waypost
def rows():
    for n in range(200000):
        yield {"loc": f"https://www.example.com/{n}-{hash(n * 7919)}"}
    raise RuntimeError("the database went away")
Waypost().upload(rows, "a.example", expect=3, dry_run=True, name="x")`;
    const { code, stderr } = await run(script);
    expect(code).toBe(1);
    expect(stderr).toContain('RuntimeError: the database went away');
    await vi.waitFor(() => expect(waypost.seen.map(({ end }) => end)).toEqual(['cut']), SOON);
    expect(waypost.seen[0]!.query).toMatchObject({ expectedUrlCount: '3', dryRun: 'true', sitemapName: 'x' });
  });

  test('a refusal has its code and details, and is not repeated', async () => {
    inTurn(() => ({
      status: 422,
      error: { code: 'VALIDATION_ERROR', message: 'line 3, loc: no', details: { line: 3 } },
    }));
    const script = `
from waypost import Refused, Waypost
try:
    Waypost().upload(["x"], "a.example")
except Refused as refused:
    print(refused.code, refused.status, refused.details["line"])`;
    expect(await run(script)).toMatchObject({ code: 0, stdout: 'VALIDATION_ERROR 422 3\n' });
    expect(waypost.seen).toHaveLength(1);
  });

  test('a refusal passes between processes', async () => {
    const script = `
import pickle
from waypost import Refused
for refused in (Refused(503, {"code": "SERVICE_UNAVAILABLE", "message": "No: later.", "details": {"line": 3}}, 7), Refused(502, {"message": "No."})):
    same = pickle.loads(pickle.dumps(refused))
    print(type(same).__name__, str(same) == str(refused), vars(same) == vars(refused))`;
    expect((await run(script)).stdout).toBe('Refused True True\n'.repeat(2));
  });

  test('a wait of 0 counts once, and a date is on the clock of the server', async () => {
    const script = `
from waypost import _pause_after, _seconds_of
print([_pause_after(attempt, 0) >= 0.5 for attempt in range(3)])
now, later = "Mon, 30 Nov 2026 07:00:00 GMT", "Mon, 30 Nov 2026 07:00:09 GMT"
print(_seconds_of(later, now), _seconds_of(now, later), _seconds_of(later, ""), _seconds_of("soon", now), _seconds_of("7", ""))`;
    expect(await run(script)).toMatchObject({
      stdout: '[False, True, True]\n9 0 None None 7\n',
      stderr: '',
    });
  });

  test('an answer of another program is named as such', async () => {
    inTurn(async (_seen, request) => {
      await request.whole();
      return { status: 200, text: '<html>Sign in to the network</html>' };
    });
    const { stderr } = await run(`from waypost import Waypost\nWaypost().upload(["x"], "a.example")`);
    expect(stderr).toContain('Refused: 200: The server did not answer as Waypost does.');
  });

  test('a key with a line break is refused before http.client, whose error would show it', async () => {
    const { stderr } = await run(
      `from waypost import Waypost\nWaypost(api_key="sk_live_0123456789\\n").upload(["x"], "a.example")`,
    );
    expect(stderr).toContain('The API key is empty or has characters that no key has');
    expect(stderr).not.toContain('Bearer');
  });

  test.each([
    ['http://api.example.com', 'must not travel over plain HTTP'],
    ['http://127.0.0.1.example.com', 'must not travel over plain HTTP'],
    ['ftp://127.0.0.1', 'must begin with https://'],
  ])('the key does not go to %s', async (url, message) => {
    const { stderr } = await run(`from waypost import Waypost\nWaypost("${url}", "k")`);
    expect(stderr).toContain(message);
  });
});

test('the module is in the grammar of Python 3.9', needs('python3'), async () => {
  const parse = `import ast\nast.parse(open("${join(FOLDER, 'waypost.py')}").read(), feature_version=(3, 9))`;
  expect(await run(parse)).toMatchObject({ code: 0, stderr: '' });
});

describe('the wheel', needs('python3'), () => {
  test('has the same bytes each time, its record is right, and it works', async () => {
    const folders = [await createTemporaryFolder(), await createTemporaryFolder()];
    const built = folders.map((folder) => {
      const { stdout, stderr } = spawnSync('python3', [join(FOLDER, 'build_wheel.py'), folder], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      return stdout.trim();
    });
    const [first, second] = built.map((path) => readFileSync(path));
    expect(first!.equals(second!)).toBe(true);
    expect(first!.length).toBeLessThan(50_000);
    const check = `
import base64, csv, hashlib, io, zipfile
wheel = zipfile.ZipFile("${built[0]}")
record = next(name for name in wheel.namelist() if name.endswith("RECORD"))
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert sorted(row[0] for row in rows) == sorted(wheel.namelist())
for name, digest, size in rows:
    if digest:
        found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
        assert (digest, size) == ("sha256=" + found, str(len(wheel.read(name)))), name
print("right")`;
    expect(await run(check)).toMatchObject({ code: 0, stdout: 'right\n' });
    inTurn(publish);
    const use = `import waypost\nassert ".whl" in waypost.__file__\nwaypost.Waypost().upload(["${LOC}"], "a.example")`;
    expect(await run(use, { path: built[0]! })).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf()).toEqual([{ loc: LOC }]);
  });
});

describe('a server that no wait makes right is asked once', needs('python3'), () => {
  const upload = (url: string, before = '') => `
import socket, time
time.sleep = lambda seconds: print("waits")
${before}
from waypost import Waypost, ConnectionLost
try:
    Waypost("${url}").upload(["${LOC}"], "a.example")
except ConnectionLost as error:
    print(error)`;

  test('its certificate is not trusted, or it has no TLS', async () => {
    let connections = 0;
    for (const server of [createSecureServer(testServerKeys), createServer()]) {
      server.on('connection', () => connections++).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { code, stdout } = await run(upload(`https://localhost:${port}`));
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?!waits).*SSL/) });
    }
    expect(connections).toBe(2);
  });

  test('its name has no address', async () => {
    const lookUp = `def none(*_): raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
socket.getaddrinfo = none`;
    const { code, stdout } = await run(upload('https://nowhere.invalid', lookUp));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?!waits).*not known/) });
  });
});

test('the recipe for GitHub installs the file of the operator', () => {
  const recipe = README.split('```yaml\n')[1]!.split('```')[0]!;
  const programs = recipe.match(/(?<=- run: )\S+ \S+/g);
  expect(programs).toEqual(['npm install', 'waypost upload']);
});

describe('recipes, as printed', needs('python3'), () => {
  const codeOf = (title: string) => README.split(`${title}`)[1]!.split('```python\n')[1]!.split('```')[0]!;

  test('Airflow', async () => {
    inTurn(publish);
    const stub =
      'import sys, types\nfor name in ("airflow", "airflow.decorators"): sys.modules[name] = types.ModuleType(name)\nsys.modules["airflow.decorators"].task = lambda **_: lambda call: call\n';
    const script = `${stub}${codeOf('Airflow, a task')}\nprint(publish(lambda: ["${LOC}"], run_id="scheduled-1"))`;
    expect(await run(script)).toEqual({ code: 0, stdout: '7\n', stderr: '' });
    expect(waypost.seen[0]!.headers['idempotency-key']).toBe('sitemaps.example.com/scheduled-1');
  });

  test('Dagster', async () => {
    inTurn(publish);
    const stub =
      'import sys, types\ndagster = sys.modules["dagster"] = types.ModuleType("dagster")\ndagster.asset = lambda call: call\ndagster.MaterializeResult = lambda metadata: metadata\n';
    const script = `${stub}${codeOf('Dagster, an asset')}\nprint(sitemap(["${LOC}"])["urlCount"])`;
    expect(await run(script)).toEqual({ code: 0, stdout: '2\n', stderr: '' });
  });

  test('dbt', async () => {
    inTurn(publish);
    const cwd = await createTemporaryFolder();
    const make = `import sqlite3\ndatabase = sqlite3.connect("warehouse.db")\ndatabase.execute("create table sitemap_urls as select '${LOC}' as url, '2026-01-15 10:00:00' as updated_at")\ndatabase.commit()`;
    expect(await run(`${make}\n${codeOf('dbt, a Python')}`, { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf()).toEqual([{ loc: LOC, lastmod: '2026-01-15 10:00:00' }]);
  });
});
