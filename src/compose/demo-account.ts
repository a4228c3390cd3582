/** The account of a fresh all-in-one program, and the file that tells its owner the key and the addresses. */
import { z } from 'zod';
import { operatorOf } from '../features/accounts/actor.ts';
import { createKeyAs } from '../features/accounts/change-keys.ts';
import { createAccount } from '../features/accounts/create-account.ts';
import { findCaller } from '../features/accounts/key-store.ts';
import { newId } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import { readPrivateFile, writePrivateFile } from '../platform/process/private-file.ts';

const demoSchema = z.object({
  apiKey: z.string(),
  /** Files of older versions have no account id. */
  accountId: z.string().optional(),
  apiUrl: z.string(),
  hostingUrl: z.string(),
  /** Files of older versions have no HTTPS address. */
  httpsUrl: z.string().default(''),
});
export type Demo = z.infer<typeof demoSchema>;

/** Writes `demo.json` with the addresses of this start. If there is no such file, creates a new account. */
export async function prepareDemoAccount(
  database: Database,
  path: string,
  addresses: Omit<Demo, 'apiKey' | 'accountId'>,
): Promise<Demo> {
  const former = await readDemo(path);
  const account = former === undefined ? await createDemoKey(database) : await accountOf(database, former);
  const demo = { ...account, ...addresses };
  await writePrivateFile(path, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
}

export async function readDemo(path: string): Promise<Demo | undefined> {
  const text = await readPrivateFile(path);
  return text === undefined ? undefined : demoSchema.parse(JSON.parse(text));
}

async function createDemoKey(database: Database): Promise<Pick<Demo, 'apiKey' | 'accountId'>> {
  const accountId = await createAccount(database, newId, 'demo', 'enterprise');
  const wanted = { name: 'demo', expiresAt: null };
  const { key } = await createKeyAs({ database, newId }, operatorOf(accountId), wanted);
  return { apiKey: key, accountId };
}

/**
 * Returns the key in the file, with its account. Without an account id in the file, returns the account of the key. Returns undefined if
 * that key is revoked.
 */
async function accountOf(
  database: Database,
  { apiKey, accountId }: Demo,
): Promise<Pick<Demo, 'apiKey' | 'accountId'>> {
  return { apiKey, accountId: accountId ?? (await findCaller(database, apiKey))?.accountId };
}
