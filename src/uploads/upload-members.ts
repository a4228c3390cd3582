/**
 * The members of an upload's document beside `urls`. They may stand in any order, before or behind it; each is
 * checked where it stands, so that the first fault in the document is the one reported.
 */
import { z } from 'zod';
import type { DocumentPart, DocumentShape } from '../platform/json/json-document.ts';
import { invalidField } from '../platform/refusal.ts';
import { DEFAULT_SITEMAP, isSitemapName } from '../sitemap/file-names.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../sitemap/limits.ts';
import { type Batch, ENTRIES_PER_FRAGMENT } from './fragment.ts';

const memberSchemas = {
  domain: z.string('must be a hostname'),
  sitemapName: z
    .string('must be a string')
    .refine(
      isSitemapName,
      'must be 1 to 64 of the characters A-Z a-z 0-9 _ -, and neither "index" nor "default"',
    )
    .nullable(),
  sizeLimit: z
    .enum(
      Object.keys(ENTRIES_PER_FILE) as SizeLimit[],
      `must be one of ${Object.keys(ENTRIES_PER_FILE).join(', ')}`,
    )
    .nullable(),
  pingSearch: z.boolean('must be true or false').nullable(),
};
type MemberName = keyof typeof memberSchemas;

/**
 * The shape of an upload's document. Batches: at most 5,000 entries and about 1 MiB, for a task costs a thread
 * some 100 µs however small it is; entries of at most 4 MiB.
 */
export const UPLOAD_SHAPE: DocumentShape = {
  members: Object.keys(memberSchemas),
  array: {
    name: 'urls',
    limits: { elements: 5 * ENTRIES_PER_FRAGMENT, bytes: 1024 * 1024, elementBytes: 4 * 1024 * 1024 },
  },
  // A typo in sitemapName would replace another sitemap.
  refusesUnknown: true,
};

const DEFAULT_SIZE_LIMIT: SizeLimit = 'standard';

export interface UploadDomain {
  readonly id: string;
  readonly hostname: string;
}

export interface CompleteMembers {
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly sizeLimit: SizeLimit;
  readonly pingSearch: boolean;
}

export class UploadMembers {
  readonly #getDomain: (hostname: string) => Promise<UploadDomain>;
  #domain: UploadDomain | undefined;
  readonly #values: Partial<{
    sitemapName: string | null;
    sizeLimit: SizeLimit | null;
    pingSearch: boolean | null;
  }> = {};
  #hasUrls = false;

  /** `getDomain` refuses a hostname that is not the account's. */
  constructor(getDomain: (hostname: string) => Promise<UploadDomain>) {
    this.#getDomain = getDomain;
  }

  /** Passes the batches on, and keeps the rest. */
  async *batchesOf(document: AsyncIterable<DocumentPart>): AsyncGenerator<Batch, void, undefined> {
    for await (const part of document) {
      if (part.kind === 'batch') yield part.batch;
      else if (part.kind === 'member') await this.#take(part.name, part.value);
      else if (part.count === 0) throw invalidField('urls', [], 'must hold at least one URL');
      else this.#hasUrls = true;
    }
  }

  /** As far as it is known by now. */
  get sizeLimit(): SizeLimit {
    return this.#values.sizeLimit ?? DEFAULT_SIZE_LIMIT;
  }

  /** Whether a `sizeLimit` may still come: without a `domain` the document is not complete. */
  get isMoreToCome(): boolean {
    return this.#domain === undefined && this.#values.sizeLimit === undefined;
  }

  /** To be called when the document has ended. */
  complete(): CompleteMembers {
    if (this.#domain === undefined) throw invalidField('domain', undefined, 'is required');
    if (!this.#hasUrls) throw invalidField('urls', undefined, 'is required');
    return {
      domain: this.#domain,
      sitemapName: this.#values.sitemapName ?? DEFAULT_SITEMAP,
      sizeLimit: this.sizeLimit,
      pingSearch: this.#values.pingSearch ?? false,
    };
  }

  async #take(name: string, value: unknown): Promise<void> {
    if (name === 'urls') throw invalidField('urls', value, 'must be an array of URL objects');
    const parsed = memberSchemas[name as MemberName].safeParse(value);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    if (name === 'domain') this.#domain = await this.#getDomain(parsed.data as string);
    else Object.assign(this.#values, { [name]: parsed.data });
  }
}
