/** `npm run dashboard`: all in one with the pages as they are in the sources. */
import { expect, test } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { PATIENT, startProcess } from './support/processes.ts';
import { createFolder } from './support/waypost.ts';

test('one command serves the pages from their sources, with the API behind them, and ends with all it started', async () => {
  await using folder = await createFolder();
  const origin = `http://127.0.0.1:${await freePort()}`;
  await using started = startProcess('pages/build/develop.ts', {
    DATA_DIR: folder.path,
    DASHBOARD_ORIGIN: origin,
    ...PATIENT,
    ...{ API_PORT: '0', HOSTING_PORT: '0', HOSTING_TLS_PORT: '0', IDLE_GRACE_MS: '0', LOG_LEVEL: 'warn' },
  });
  await started.says('Ctrl+C ends it.');
  const typeAndText = async (path: string) => {
    const response = await fetch(`${origin}${path}`, { headers: { Accept: 'text/html, */*' } });
    return [response.status, response.headers.get('content-type'), await response.text()] as const;
  };

  const page = expect.stringContaining('<div id="app">');
  const html = expect.stringContaining('text/html');
  expect(await typeAndText('/dashboard')).toEqual([200, html, page]);
  expect(await typeAndText('/dashboard/settings/keys')).toEqual([200, html, page]);
  const module = expect.stringContaining('text/javascript');
  expect(await typeAndText('/dashboard/main.tsx')).toEqual([200, module, expect.stringContaining('app.tsx')]);
  // This source has the address of the API.
  expect(await typeAndText('/dashboard/api/request.ts')).toEqual([
    ...[200, module],
    expect.stringContaining('ApiError'),
  ]);
  const envelope = expect.stringContaining('"success":false');
  const json = expect.stringContaining('application/json');
  expect(await typeAndText('/api/domains')).toEqual([401, json, envelope]);
  expect(await typeAndText('/dashboard/api/no-such-thing')).toEqual([
    ...[expect.any(Number), json],
    envelope,
  ]);

  started.kill('SIGINT');
  expect(await started.exited).toEqual({ code: 0, signal: null });
});
