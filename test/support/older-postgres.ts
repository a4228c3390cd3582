/** A server of the oldest supported Postgres, or of any newer one before ours, as Debian packages it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseLaunch } from '../../src/platform/postgres/postgres-launch.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { Secret } from '../../src/platform/secret.ts';

const ROOT = '/usr/lib/postgresql';
const OLDEST = 15;
/** The version of the embedded Postgres, with which all other tests run. */
const OURS = 18;

/** Returns the folder with the programs of the oldest such version. Undefined if none is installed. */
export function findOlderPostgres(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number) : [];
  const [oldest] = versions.filter((version) => version >= OLDEST && version < OURS).sort((a, b) => a - b);
  const bin = join(ROOT, String(oldest), 'bin');
  return oldest !== undefined && existsSync(join(bin, 'initdb')) ? bin : undefined;
}

export interface OlderPostgres extends AsyncDisposable {
  readonly url: Secret;
}

/** Starts a server with its data in `folder`. */
export async function startOlderPostgres(folder: string): Promise<OlderPostgres> {
  const bin = findOlderPostgres()!;
  const { command, owner } = await chooseLaunch(folder, join(bin, 'postgres'));
  const data = join(folder, 'data');
  const as = (program: string, ...parameters: readonly string[]) => {
    const [file, ...rest] = [...command, join(bin, program), ...parameters];
    return [file!, rest] as const;
  };
  await promisify(execFile)(...as('initdb', '-D', data, '-A', 'trust', '-U', 'waypost', '-E', 'UTF8'), {
    cwd: '/',
    ...(owner && { uid: owner.uid, gid: owner.gid }),
  });
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(...as('postgres', '-D', data, ...settings.flatMap((setting) => ['-c', setting])), {
    cwd: '/',
    stdio: 'ignore',
  });
  const url = `postgres://waypost@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return {
    url: new Secret(url),
    async [Symbol.asyncDispose]() {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (const endsAt = Date.now() + 60_000; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (Date.now() > endsAt) throw error;
      await delay(100);
    }
  }
}
