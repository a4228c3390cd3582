/** How an answer is produced, not its content: a promise on the path of a cached answer costs throughput. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { Representations } from '../../src/edges/hosting/answer/representation.ts';
import { ObjectGone } from '../../src/edges/hosting/bodies/stored-objects.ts';
import { CachedListing } from '../../src/edges/hosting/lookup/cached-listing.ts';
import { type RequestContext, serveFile } from '../../src/edges/hosting/serve-file.ts';

const XML = Buffer.from('<urlset/>');
const file = {
  bytes: XML.length,
  gzipBytes: 20,
  etag: 'e',
  lastModified: '2026-01-01T00:00:00Z',
  entries: 1,
};
const listing = new CachedListing('u', { index: null, files: [file] });
const sitemap = { name: '', uploadId: 'u', files: 1, former: [] };
const site = {
  hostname: 'maps.example.com',
  generation: 1,
  origin: 'https://maps.example.com',
  https: false,
  certificate: null,
  indexNowKeys: [],
  index: null,
  sitemaps: new Map([['', sitemap]]),
};
const inMemory = {
  sites: { find: () => site, findAgain: async () => ({ ...site }) },
  objects: { listing: () => listing, section: () => new Map() },
  representations: new Representations({ openXml: () => XML, openGzip: () => XML }, 1_000_000, Date.now),
  stylesheet: () => undefined,
  challenges: { find: async () => undefined },
  now: () => 0,
};
const request = {
  method: 'GET',
  url: 'http://maps.example.com/sitemap.xml?a',
  httpVersion: '1.1',
  headers: { host: 'maps.example.com' },
  rawHeaders: ['Host', 'maps.example.com'],
  socket: {},
} as IncomingMessage;

const context = (): RequestContext => ({ site: undefined, file: undefined });

test('an answer from memory comes at once, without a promise', () => {
  expect(serveFile(request, inMemory, context())).toMatchObject({ status: 200, body: XML });
});

test.each([
  ['site', { sites: { ...inMemory.sites, find: async () => site } }],
  ['listing', { objects: { ...inMemory.objects, listing: async () => listing } }],
])('a %s that must be fetched is awaited', async (_, changed) => {
  const answer = serveFile(request, { ...inMemory, ...changed }, context());
  expect(answer).toBeInstanceOf(Promise);
  expect(await answer).toMatchObject({ status: 200, body: XML });
});

test('a vanished object is looked up once more, whether its absence is known at once or later', async () => {
  for (const gone of [
    () => {
      throw new ObjectGone('gone');
    },
    async () => {
      throw new ObjectGone('gone');
    },
  ]) {
    let asked = 0;
    const objects = { ...inMemory.objects, listing: () => (asked++ === 0 ? gone() : listing) };
    expect(await serveFile(request, { ...inMemory, objects }, context())).toMatchObject({
      status: 200,
      body: XML,
    });
    const stillGone = async () =>
      serveFile(request, { ...inMemory, objects: { ...inMemory.objects, listing: gone } }, context());
    await expect(stillGone()).rejects.toThrow(ObjectGone);
  }
});
