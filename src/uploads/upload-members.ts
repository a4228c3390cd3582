/**
 * The members of an upload document other than `urls`. They come in any order, before or after it. Each one is checked
 * when it is read, so the first fault in the document is the one we report.
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
    .refine(isSitemapName, 'must be 1 to 64 characters from A-Z a-z 0-9 _ -, and not "index" or "default"')
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
 * The shape of an upload document. A batch has at most 5,000 entries and about 1 MiB, because every task costs a thread
 * about 100 µs, however small it is. An entry has at most 4 MiB.
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
  readonly #onSitemapName: (sitemapName: string) => void;
  #domain: UploadDomain | undefined;
  readonly #values: Partial<{
    sitemapName: string | null;
    sizeLimit: SizeLimit | null;
    pingSearch: boolean | null;
  }> = {};
  #hasUrls = false;

  /** `getDomain` refuses a hostname that the account does not own. */
  constructor(
    getDomain: (hostname: string) => Promise<UploadDomain>,
    onSitemapName: (sitemapName: string) => void = () => {},
  ) {
    this.#getDomain = getDomain;
    this.#onSitemapName = onSitemapName;
  }

  /** Yields the batches, and keeps the other members. */
  async *batchesOf(document: AsyncIterable<DocumentPart>): AsyncGenerator<Batch, void, undefined> {
    for await (const part of document) {
      if (part.kind === 'batch') yield part.batch;
      else if (part.kind === 'member') await this.#take(part.name, part.value);
      else if (part.count === 0) throw invalidField('urls', [], 'must hold at least one URL');
      else this.#hasUrls = true;
    }
  }

  /** The default until the member is read. */
  get sizeLimit(): SizeLimit {
    return this.#values.sizeLimit ?? DEFAULT_SIZE_LIMIT;
  }

  /** More members are sure to come while `domain` is missing. One of them may be `sizeLimit`. */
  get isMoreToCome(): boolean {
    return this.#domain === undefined && this.#values.sizeLimit === undefined;
  }

  /** Call it at the end of the document. */
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
    if (name === 'sitemapName') this.#onSitemapName(this.#values.sitemapName ?? DEFAULT_SITEMAP);
  }
}
