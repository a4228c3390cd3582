/** The Waypost of a test file, with the default plans: the one that all files share, or one of its own. */
import { afterAll, expect } from 'vitest';
import { borrow } from '../../support/borrow.ts';
import type { Environment } from './processes.ts';
import { isOnS3 } from './store.ts';
import { type Addresses, createDataFolder, createFolder, type Service, startService } from './waypost.ts';

/** Our own names, which customers cannot register. */
export const CNAME_BASE = 'cname.waypost-service.net';
export const RESERVED_HOSTNAME = 'example.org';

export const PLAIN = {
  CNAME_BASE: `${CNAME_BASE.toUpperCase()}.`,
  RESERVED_HOSTNAMES: `${RESERVED_HOSTNAME},BÜCHER.de.,Ours.Localhost`,
  // All tests share one client address.
  AUTH_FAILURES_PER_MINUTE: '100000',
  // Tests of many uploads at once use one account. 8-uploads-at-once.test.ts sets its own limit.
  UPLOADS_PER_ACCOUNT: '1000',
  UPLOADS_PER_PROCESS: '1000',
  // Tests ask right after they have published. process-start.test.ts uses the longest allowed value.
  SITE_FRESH_MS: '0',
  // Each thread costs a third of a start.
  RENDER_THREADS: '1',
  // Nobody answers there, so no page host of a test is asked.
  ...(isOnS3 ? {} : { DNS_SERVERS: '127.0.0.1:9' }),
  // Domains that switch submission on submit to this address. No server answers there.
  INDEXNOW_ENDPOINT: 'http://127.0.0.1:9/indexnow',
  // The servers of tests are on loopback.
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
};

/**
 * The Waypost of all files that do not change it: each has accounts and hostnames of its own. Call it at the top of a file.
 * A line in its log while the file runs fails the file.
 */
export async function useWaypost(): Promise<Addresses & Pick<Service, 'settings'>> {
  if (isOnS3) return useOwnWaypost();
  const [waypost, before] = [await borrow('waypost'), await borrow('log')];
  afterAll(async () => expect((await borrow('log')).slice(before.length)).toBe(''));
  return waypost;
}

/** Call it at the top of a file. It ends with the file, and fails the file if the log has an unexpected line. */
export async function useOwnWaypost(
  environment: Environment = {},
  isExpected: (logLine: string) => boolean = () => false,
): Promise<Service> {
  const folder = isOnS3 ? await createFolder() : await createDataFolder();
  const waypost = await startService({ ...PLAIN, ...environment }, folder.path);
  afterAll(async () => {
    await waypost[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    const lines = waypost.process.stderr().split('\n');
    expect(lines.filter((line) => line !== '' && !isExpected(line))).toEqual([]);
  });
  return waypost;
}
