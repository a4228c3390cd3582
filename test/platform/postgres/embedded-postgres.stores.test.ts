import { spawn } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  embeddedPostgresUrl,
  startEmbeddedPostgres,
} from '../../../src/platform/postgres/embedded-postgres.ts';
import { ConfigError } from '../../../src/platform/process/config-error.ts';
import { once, SOON, soon } from '../../support/soon.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const OWNER = fileURLToPath(new URL('./embedded-postgres-owner.ts', import.meta.url));

const folder = await createTemporaryFolder();
const killed = await createTemporaryFolder();

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(folder, { durable: false });
  onTestFinished(() => server.stop());
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test('data survives a restart', async () => {
  const first = await start();
  await query(first.url.reveal(), "CREATE TABLE kept AS SELECT 'here' AS text");
  await first.stop();
  const second = await start();
  expect(await query(second.url.reveal(), 'SELECT text FROM kept')).toEqual([{ text: 'here' }]);
});

test('a second start on the same folder is refused with the cure, and the first one continues', async () => {
  const first = await start();
  const second = startEmbeddedPostgres(folder);
  await expect(second).rejects.toBeInstanceOf(ConfigError);
  await expect(second).rejects.toThrow('DATA_DIR is in use');
  expect(await query(first.url.reveal(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect((await embeddedPostgresUrl(folder))?.reveal()).toBe(first.url.reveal());
});

test('of several starts at once, one has the folder, and the others are refused, also on a new folder', async () => {
  const shared = join(await createTemporaryFolder(), 'data');
  for (const _ of ['new', 'not new']) {
    const starts = await Promise.allSettled(
      [1, 2, 3].map(() => startEmbeddedPostgres(shared, { durable: false })),
    );
    const servers = starts.filter((start) => start.status === 'fulfilled').map(({ value }) => value);
    const reasons = starts.filter((start) => start.status === 'rejected').map(({ reason }) => reason);
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
    expect(reasons).toEqual([expect.any(ConfigError), expect.any(ConfigError)]);
    expect(await query(servers[0]!.url.reveal(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(shared)).sort()).toEqual(['cluster', 'password', 'url']);
    await servers[0]!.stop();
  }
});

test('a new cluster is on the disk before it is used: what it acknowledges is not lost with the power', async () => {
  const { initdb, postgres } = await import(`@embedded-postgres/linux-${process.arch}`);
  const tools = await createTemporaryFolder();
  const noting = join(tools, 'initdb');
  await writeFile(noting, `#!/bin/sh\necho "$@" > ${tools}/given\nexec ${initdb} "$@"\n`, { mode: 0o755 });
  const server = await startEmbeddedPostgres(join(tools, 'data'), { binaries: { initdb: noting, postgres } });
  onTestFinished(() => server.stop());
  expect(await readFile(join(tools, 'given'), 'utf8')).not.toContain('--no-sync');
});

test('a file of our own has the address while the server runs, and the address needs a password', async () => {
  const server = await start();
  expect((await embeddedPostgresUrl(folder))?.reveal()).toBe(server.url.reveal());
  expect((await stat(join(folder, 'url'))).mode & 0o777).toBe(0o600);
  const wrong = new URL(server.url.reveal());
  wrong.password = 'guessed';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  await server.stop();
  expect(await embeddedPostgresUrl(folder)).toBeUndefined();
});

test('the server ends with its owner, even if the owner is killed', async () => {
  const owner = spawn(process.execPath, [OWNER, killed], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    owner.kill('SIGKILL');
  });
  await once(owner.stdout, 'data');
  const pid = Number.parseInt(await readFile(join(killed, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  expect(isAlive(pid)).toBe(true);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await vi.waitUntil(() => !isAlive(pid), soon('the end of Postgres'));

  const next = await startEmbeddedPostgres(killed, { durable: false });
  await next.stop();
});

test.each([
  ['another program of ours', () => spawned('sleep', ['60'])],
  ['a program of another user', () => spawned('sleep', ['60'], 65_534)],
  ['a thread of ours', async () => Number((await readdir('/proc/self/task')).at(-1))],
])('a lock of a server that was killed, whose process id %s has by now, is none', async (_, other) => {
  const first = await start();
  const path = join(folder, 'cluster', 'postmaster.pid');
  const lock = await readFile(path, 'utf8');
  await first.stop();
  await writeFile(path, lock.replace(/^\d+/, String(await other())), { mode: 0o600 });
  const next = await start();
  expect(await query(next.url.reveal(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

/** Starts a program. Root starts it as the user `uid`. Returns its process id. */
function spawned(program: string, parameters: readonly string[], uid?: number): number {
  const child = spawn(program, parameters, process.getuid?.() === 0 ? { uid } : {});
  onTestFinished(() => void child.kill());
  return child.pid!;
}

test('a server with a log starts again after it was killed, at the same address, and says so', async () => {
  const error = vi.fn();
  const server = await startEmbeddedPostgres(folder, { durable: false, log: { error, warn: vi.fn() } });
  onTestFinished(() => server.stop());
  const pid = Number.parseInt(await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => {
    expect(isAlive(pid)).toBe(false);
    expect(await query(server.url.reveal(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }, SOON);
  expect(error).toHaveBeenCalledWith(
    expect.anything(),
    'the embedded Postgres has ended; it starts again in 10 s',
  );
});

test('a server that recovers for longer than a start may take is awaited, and the wait is logged', async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(folder, 'cluster', 'recovery.signal'), '');
  const warn = vi.fn();
  const server = await startEmbeddedPostgres(folder, {
    durable: false,
    log: { error: vi.fn(), warn },
    // The recovery asks for a file of an archive, and waits for the answer.
    settings: { restore_command: 'mkdir asked && sleep 5; false' },
    startTimeoutMs: 2500,
  });
  onTestFinished(() => server.stop());
  expect(await query(server.url.reveal(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    {},
    'the embedded Postgres recovers after a crash, which may take minutes',
  );
});

/** A process that ended is a zombie until its parent asks for its status. It is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the server gets nothing of our environment but what belongs to the machine', async () => {
  vi.stubEnv('OIDC_CLIENT_SECRET', 'secret');
  vi.stubEnv('SECRET_OF_ANOTHER_PROGRAM', 'secret');
  vi.stubEnv('LC_MESSAGES', 'C');
  const { url } = await start();
  vi.unstubAllEnvs();
  await query(url.reveal(), "CREATE TABLE seen (line text); COPY seen FROM PROGRAM 'env'");
  const seen = JSON.stringify(await query(url.reveal(), 'SELECT line FROM seen'));
  expect(seen).toContain('PATH=');
  expect(seen).toContain('LC_MESSAGES=C');
  expect(seen).not.toContain('secret');
});
