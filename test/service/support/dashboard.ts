/** An all in one for people: with the link that it prints, or with an identity provider, and a browser. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { freePort } from '../../../tools/free-port.ts';
import { startProvider } from '../../support/start-provider.ts';
import type { Chromium } from './chromium.ts';
import type { Environment } from './processes.ts';
import { cli, startWaypost, type Waypost } from './waypost.ts';

/** Call it at the top of a suite. A warning in the log fails the suite. */
export async function useDashboard(environment: Environment = {}): Promise<Waypost> {
  const waypost = await startWaypost(environment);
  afterAll(async () => {
    await waypost[Symbol.asyncDispose]();
    expect(waypost.process.stderr()).toBe('');
  });
  return waypost;
}

/** Starts a dashboard with a provider. It signs in the person that the test names. */
export async function useDashboardWithProvider(environment: Environment = {}) {
  const provider = await startProvider();
  afterAll(() => provider[Symbol.asyncDispose]());
  // The redirect of the provider must name the port.
  const port = await freePort();
  const waypost = await useDashboard({
    API_PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Acme',
    ...environment,
  });
  provider.serve(waypost.apiUrl, 'default');
  return { waypost, provider };
}

/** The address that signs in to the demo account, once. */
export async function printedLink({ process }: Waypost): Promise<string> {
  await process.says('works once');
  return /http\S+\/dashboard\/sign-in#\S+/.exec(process.stdout())![0];
}

export async function signInByLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await heading(page, 'Overview').waitFor();
  expect(page.url()).not.toContain('#');
}

/** Returns a function that opens a page of the operator. All pages have one session: a client may use ten links in a minute. */
export function oneSession({ dataDir }: Waypost, { visit }: Chromium): () => Promise<Page> {
  const signIn = async () => {
    const page = await visit();
    await signInByLink(page, await cli(dataDir, 'sign-in'));
    return page.context().storageState();
  };
  let session: ReturnType<typeof signIn> | undefined;
  return async () => {
    session ??= signIn();
    return visit({ storageState: await session });
  };
}

/** From the page for strangers, by the provider, to the overview. */
export async function signInByProvider(page: Page, { apiUrl }: Waypost): Promise<void> {
  await page.goto(`${apiUrl}/dashboard`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await heading(page, 'Overview').waitFor();
}

export function heading(page: Page, name: string | RegExp) {
  return page.getByRole('heading', { level: 1, name });
}

/** The part of a page below a heading of its own. */
export function card(page: Page, title: string) {
  return page.getByRole('region', { name: title, exact: true });
}

/** Calls the API with a key, by a real curl. */
export async function curl(url: string, key: string): Promise<{ status: number; body: string }> {
  const args = ['-sS', '-H', `X-API-Key: ${key}`, '-w', '\n%{http_code}', url];
  const { stdout } = await promisify(execFile)('curl', args);
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}
