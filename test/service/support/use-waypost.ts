/** One Waypost for all tests of a file, with the default plans. */
import { afterAll, expect } from 'vitest';
import type { Environment } from './processes.ts';
import { isOnS3 } from './store.ts';
import { createFolder, type Service, startService } from './waypost.ts';

/** Our own names, which customers cannot register. */
export const CNAME_BASE = 'cname.waypost-service.net';
export const RESERVED_HOSTNAME = 'example.org';

const ENVIRONMENT = {
  CNAME_BASE: `${CNAME_BASE.toUpperCase()}.`,
  RESERVED_HOSTNAMES: `${RESERVED_HOSTNAME},BÜCHER.de.,Ours.Localhost`,
  // All tests share one client address.
  AUTH_FAILURES_PER_MINUTE: '100000',
  // Tests of many uploads at once use one account. 8-uploads-at-once.test.ts sets its own limit.
  UPLOADS_PER_ACCOUNT: '1000',
  UPLOADS_PER_PROCESS: '1000',
  // Tests ask right after they have published. process-life.test.ts uses the longest allowed value.
  SITE_FRESH_MS: '0',
  // Nobody answers there, so no page host of a test is asked.
  ...(isOnS3 ? {} : { DNS_SERVERS: '127.0.0.1:9' }),
};

/** Call it at the top of a file. It ends with the file, and fails the file if the log has an unexpected line. */
export async function useWaypost(
  environment: Environment = {},
  isExpected: (logLine: string) => boolean = () => false,
): Promise<Service> {
  const folder = await createFolder();
  const waypost = await startService({ ...ENVIRONMENT, ...environment }, folder.path);
  afterAll(async () => {
    await waypost[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    const lines = waypost.process.stderr().split('\n');
    expect(lines.filter((line) => line !== '' && !isExpected(line))).toEqual([]);
  });
  return waypost;
}
