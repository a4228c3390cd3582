/** Sitemaps of BENCH_HOSTNAME whose files are expensive to serve: 47 MB of XML each, in 50,000 entries. */
import { randomBytes } from 'node:crypto';
import type { WaypostProcess } from '../../tools/waypost-process.ts';
import { uploadSeconds } from '../bench-waypost.ts';
import { requestFor } from '../hosting/lean-connection.ts';
import { scaled } from '../scale.ts';
import { uploadBody } from '../upload-body.ts';

const ENTRIES = 50_000;
/** An entry without its padding is some 50 bytes of XML. */
const PADDING_LENGTH = 890;
const COMMA = Buffer.from(',');

type Uploader = Pick<WaypostProcess, 'apiUrl' | 'apiKey'>;

/** This file has about 1 MB as gzip. Hosting caches it, and inflates it for clients without gzip. */
export const REPEATED = { sitemapName: 'repeated', padding: () => 'a'.repeat(PADDING_LENGTH) };
/** This file has about 35 MB as gzip. That is too large for hosting's cache, so each answer is a stream from the store. */
export const RANDOM = {
  sitemapName: 'random',
  padding: () => randomBytes(PADDING_LENGTH).toString('base64url').slice(0, PADDING_LENGTH),
};

type AttackedFile = typeof REPEATED;

export async function publishAttacked(to: Uploader, file: AttackedFile, scale: number): Promise<void> {
  const count = scaled(ENTRIES, scale);
  const entries = Array.from({ length: count }, (_, i) =>
    Buffer.from(JSON.stringify({ loc: `https://www.example.com/${i}/${file.padding()}` })),
  );
  const joined = Buffer.concat(entries.flatMap((entry, i) => (i === 0 ? [entry] : [COMMA, entry])));
  await uploadSeconds(to, uploadBody(joined, { members: { sitemapName: file.sitemapName } }), count);
}

/** A lower bound of the file's size. */
export function xmlBytes(scale: number): number {
  return scaled(ENTRIES, scale) * PADDING_LENGTH;
}

export function pathOfAttacked({ sitemapName }: AttackedFile): string {
  return `/sitemap-${sitemapName}.xml`;
}

/** A request of a client without gzip. `fields`: further header lines. */
export function identityRequest(host: string, path: string, fields: readonly string[] = []): string {
  return requestFor(host, path).replace(
    'Accept-Encoding: gzip\r\n',
    fields.map((line) => `${line}\r\n`).join(''),
  );
}
