/** The resources that a run lends (lender.ts). Each loan starts with its first borrower and ends with the run. */
import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import { createKeyAs } from '../../src/features/accounts/change-keys.ts';
import { createAccount } from '../../src/features/accounts/create-account.ts';
import type { PlanName } from '../../src/features/accounts/plans.ts';
import { newId } from '../../src/platform/ids.ts';
import { embeddedPostgresUrl } from '../../src/platform/postgres/embedded-postgres.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { PLAIN } from '../service/support/use-waypost.ts';
import { createDataFolder, createFolder, startWaypost } from '../service/support/waypost.ts';
import { createPatientPool } from './patient-pool.ts';
import { shortenLogins, startPostgres } from './postgres-server.ts';
import { type OneCommand, startCommands } from './start-commands.ts';

export type Loans = ReturnType<typeof openLoans>;

export function openLoans(scope: AsyncDisposableStack) {
  /** The URL of a Postgres server for databases of the borrower, with a migrated one to clone. */
  const postgres = once(async () => scope.use(await startPostgres()).url);

  /** The pages of the dashboard, built. Without them the API warns. */
  const pages = once(async () => {
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, ['pages/build/build-if-changed.ts'], {
      cwd: PROJECT,
      env,
    });
  });

  /** The path of a DATA_DIR that the all-in-one program has initialised. Tests copy it. */
  const dataFolder = once(async () => {
    await pages();
    const { path } = scope.use(await createFolder());
    const first = await startWaypost({}, path);
    await shortenLogins((await embeddedPostgresUrl(join(path, 'postgres')))!.reveal());
    await first[Symbol.asyncDispose]();
    // Only this copy has this line, to save time. After a kill of a process, the data is safe without fsync.
    await appendFile(join(path, 'postgres/cluster/postgresql.conf'), 'fsync = off\n');
    return path;
  });

  const operator = once(async () => scope.use(startCommands(new URL('./operator.ts', import.meta.url))));

  const plain = once(async () => {
    const { path } = scope.use(await createDataFolder(await dataFolder()));
    return scope.use(await startWaypost(PLAIN, path));
  });

  return {
    postgres,
    pages,
    dataFolder,
    /** A Waypost with the settings of most tests. */
    waypost: async () => {
      const { dataDir, apiUrl, hostingUrl, settings } = await plain();
      return { dataDir, apiUrl, hostingUrl, settings };
    },
    /** The lines that this Waypost has logged. */
    log: async () => (await plain()).process.stderr(),
    /** Runs a command of the operators' command line. */
    command: async (command: OneCommand) => (await operator()).run(command),
    /** Creates an account and a key like the command line, but without a process for each. */
    customer: async ({ dataDir, plan }: { readonly dataDir: string; readonly plan: string }) => {
      const url = await embeddedPostgresUrl(join(dataDir, 'postgres'));
      const database = createPatientPool(url!, 1);
      try {
        const accountId = await createAccount(database, newId, `test ${plan}`, plan as PlanName);
        const wanted = { name: 'test', expiresAt: null };
        const { key } = await createKeyAs({ database, newId }, operatorOf(accountId), wanted);
        return { accountId, key };
      } finally {
        await database.end();
      }
    },
  };
}

function once<Loan>(start: () => Promise<Loan>): () => Promise<Loan> {
  let started: Promise<Loan> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}
