/** Spec D65: a browser shows the page that describes the API. */
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { visitInChromium } from '../support/read-in-chromium.ts';
import { send } from './support/send.ts';
import { useWaypost } from './support/use-waypost.ts';

const PAGE = `${(await useWaypost()).apiUrl}/api/docs`;

test(
  'spec D65 the page shows in Chromium without a complaint, with its headings in order',
  needs('chromium'),
  async () => {
    const { texts, headingLevels, problems } = await visitInChromium(PAGE);
    expect(problems).toEqual([]);
    expect(texts).toEqual(expect.arrayContaining(['/api/sitemap/generate', 'Registers a hostname.']));
    expect(headingLevels[0]).toBe(1);
    expect(headingLevels.filter((level) => level === 1)).toHaveLength(1);
    const leaps = headingLevels.filter((level, n) => n > 0 && level > headingLevels[n - 1]! + 1);
    expect(leaps).toEqual([]);
  },
);

test('spec D65 a page with a style in it would not show so', needs('chromium'), async () => {
  const policy = {
    'Content-Security-Policy': (await send(PAGE)).headers['content-security-policy'],
    'Content-Type': 'text/html',
  };
  const server = createServer((_request, response) => {
    response.writeHead(200, policy).end('<!doctype html><title>x</title><p style="color: red">x</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as { port: number };
    const { problems } = await visitInChromium(`http://127.0.0.1:${port}/`);
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('Content')]));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
