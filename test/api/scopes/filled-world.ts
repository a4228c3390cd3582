/** Two accounts, and in the first one three sitemaps of two domains. Each has one of each thing, with a word of its own in it. */
import { randomText } from '../../../src/platform/ids.ts';
import type { Ask, Asked } from '../../dashboard/running-dashboard.ts';

/** The words stand in hostnames, in URLs and in names, so an answer without them shows nothing of the place. */
export const WORDS = {
  own: 'alpaca',
  ownOther: 'walrus',
  second: 'zebra-zebra',
  stranger: 'yak-yak',
} as const;

interface FilledSitemap {
  readonly name: string;
  readonly uploads: string[];
  readonly session: string;
}

export interface FilledDomain {
  readonly id: string;
  readonly hostname: string;
  readonly sitemaps: readonly FilledSitemap[];
}

/** Makes a domain with a sitemap for each word. The word is the name of the sitemap. */
export async function fillDomain(ask: Ask, word: string, names: readonly string[]): Promise<FilledDomain> {
  const hostname = `${word}-${randomText(8).toLowerCase()}.localhost`;
  const { id } = dataOf(await ask('POST /api/domains', { body: { hostname } }));
  dataOf(await ask(`PATCH /api/domains/${id}`, { body: { guard: { maxRemovedPercent: 10 } } }));
  const sitemaps: FilledSitemap[] = [];
  for (const name of names) sitemaps.push(await fillSitemap(ask, { id, hostname }, name));
  // A load that has ended: one under way changes rows by itself.
  const [{ name: sitemapName, uploads }] = sitemaps as [FilledSitemap];
  const sources = [`https://www.example.com/${sitemapName}.xml`];
  const asked = { domain: hostname, sitemapName, sources };
  const { uploadId } = dataOf(await ask('POST /api/sitemap/load', { body: asked }));
  dataOf(await ask(`DELETE /api/uploads/${uploadId}`));
  uploads.push(uploadId);
  return { id, hostname, sitemaps };
}

async function fillSitemap(
  ask: Ask,
  { id: domainId, hostname: domain }: Pick<FilledDomain, 'id' | 'hostname'>,
  sitemapName: string,
): Promise<FilledSitemap> {
  // The guard stops no smaller sitemaps.
  const urls = Array.from({ length: 1100 }, (_, n) => ({
    loc: `https://www.example.com/${sitemapName}/${n}`,
  }));
  const upload = (body: object) =>
    ask('POST /api/sitemap/generate', { body: { domain, sitemapName, ...body } });
  const first = dataOf(await upload({ urls }));
  const rejecting = dataOf(
    await upload({ onInvalid: 'skip', maxRejected: 9, urls: [...urls, { loc: `/${sitemapName}` }] }),
  );
  const held = (await upload({ urls: urls.slice(0, 1) })).json.error.details.uploadId;
  if (held === undefined) throw new Error('the guard holds nothing');
  await upload({ urls: [{ loc: sitemapName }] });
  const load = { sources: [`https://www.example.com/${sitemapName}.xml`] };
  const schedule = `/api/domains/${domainId}/sitemaps/${sitemapName}/schedule`;
  dataOf(await ask(`PUT ${schedule}`, { body: { cron: '0 6 * * *', load } }));
  dataOf(await ask(`POST ${schedule}/hook`));
  const session = dataOf(await ask('POST /api/upload-sessions', { body: { domain, sitemapName } }));
  dataOf(await ask(`PUT /api/upload-sessions/${session.id}/parts/1`, { body: { urls: urls.slice(0, 20) } }));
  return { name: sitemapName, uploads: [first.uploadId, rejecting.uploadId, held], session: session.id };
}

/** Returns the name of a connection. */
export async function addConnection(ask: Ask, word: string): Promise<string> {
  const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
  const body = { kind: 's3', region: 'eu-central-1', buckets: [`${word}-exports`], ...keys };
  dataOf(await ask(`PUT /api/connections/${word}`, { body }));
  return word;
}

/** Returns the id of a webhook. */
export async function addWebhook(ask: Ask, word: string): Promise<string> {
  const url = `https://${word}.example.com/`;
  return dataOf(await ask('POST /api/webhooks', { body: { url } })).id;
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes differ.
function dataOf({ status, json, text }: Asked): any {
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return json.data;
}
