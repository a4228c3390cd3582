/** Makes the demo's upload, and the URLs that the demo expects to read back. The entries are generated, or come from a file of the user. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pick } from 'stream-json/filters/pick.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { normaliseUrl } from '../../src/core/sitemap/url.ts';
import { readDocument } from '../../src/platform/json/json-document.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';
import { generatedBody, generatedEntry } from '../generated-upload.ts';

export interface UploadSource {
  readonly hostname: string;
  /** The total of the progress bar: bytes of a file, or URLs. */
  readonly total: number;
  readonly unit: 'bytes' | 'URLs';
  body(onProgress: (done: number) => void): AsyncIterable<Uint8Array>;
  /** Every `loc` as hosting must serve it. */
  expectedLocs(): AsyncIterable<string>;
}

export function generatedSource(hostname: string, count: number): UploadSource {
  return {
    hostname,
    total: count,
    unit: 'URLs',
    async *body(onProgress) {
      let chunks = 0;
      for (const chunk of generatedBody(hostname, count)) {
        yield chunk;
        onProgress(Math.min(count, chunks++ * 1000));
      }
    },
    async *expectedLocs() {
      for (let i = 0; i < count; i++) yield generatedEntry(i).loc;
    },
  };
}

/** `path`: a JSON document as the upload endpoint takes it. Throws ConfigError. */
export async function fileSource(path: string): Promise<UploadSource> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw new ConfigError('The file given with --file cannot be read.');
  return {
    hostname: await readHostname(path),
    total: size,
    unit: 'bytes',
    async *body(onProgress) {
      let done = 0;
      for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
        yield chunk;
        done += chunk.length;
        onProgress(done);
      }
    },
    expectedLocs: () => locsOf(path),
  };
}

async function readHostname(path: string): Promise<string> {
  for await (const part of readDocument(createReadStream(path), { members: ['domain'] })) {
    if (part.kind === 'member' && typeof part.value === 'string') return part.value;
  }
  throw new ConfigError('The file given with --file has no member "domain".');
}

/** Uses a different JSON parser than the server, as an independent check. */
async function* locsOf(path: string): AsyncGenerator<string, void, undefined> {
  const entries = createReadStream(path)
    .compose(pick.withParserAsStream({ filter: 'urls', streamValues: false }))
    .compose(streamArray.asStream());
  for await (const { value } of entries) {
    const normalised = normaliseUrl(value.loc);
    yield 'url' in normalised ? normalised.url : value.loc;
  }
}
