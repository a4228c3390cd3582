/** The account of a fresh all in one, and the file that tells its owner the key and the addresses. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { operatorOf } from '../accounts/actor.ts';
import { createKeyAs } from '../accounts/change-keys.ts';
import { createAccount } from '../accounts/create-account.ts';
import { newId } from '../platform/ids.ts';
import type { Database } from '../platform/postgres/database.ts';
import { writePrivateFile } from '../platform/process/private-file.ts';

const demoSchema = z.object({
  apiKey: z.string(),
  apiUrl: z.string(),
  hostingUrl: z.string(),
  /** Older versions did not write it. */
  httpsUrl: z.string().default(''),
});
export type Demo = z.infer<typeof demoSchema>;

/** Writes `demo.json` with the addresses of this start. If the file was deleted, creates a new account. */
export async function prepareDemoAccount(
  database: Database,
  path: string,
  addresses: Omit<Demo, 'apiKey'>,
): Promise<Demo> {
  const apiKey = (await readDemo(path))?.apiKey ?? (await createDemoKey(database));
  const demo = { apiKey, ...addresses };
  await writePrivateFile(path, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
}

export async function readDemo(path: string): Promise<Demo | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : demoSchema.parse(JSON.parse(text));
}

async function createDemoKey(database: Database): Promise<string> {
  const accountId = await createAccount(database, newId, 'demo', 'enterprise');
  const wanted = { name: 'demo', expiresAt: null };
  return (await createKeyAs(operatorOf(accountId), { database, newId }, wanted)).key;
}
