/**
 * The members of an upload document other than `urls`, which may be query parameters too. In the document they come in any
 * order, before or after `urls`. Each one is checked when it is read, so the first fault is the one we report.
 */
import { z } from 'zod';
import type { DocumentPart, DocumentShape } from '../platform/json/json-document.ts';
import { invalidField, type Refusal } from '../platform/refusal.ts';
import { DEFAULT_SITEMAP, isSitemapName } from '../sitemap/file-names.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../sitemap/limits.ts';
import { BATCH_LIMITS } from './forms/batch-limits.ts';
import type { Batch, OnInvalid } from './fragment.ts';

const flag = z.boolean('must be true or false').nullable();
const wholeNumber = (min: number) => {
  const message = `must be a whole number, at least ${min}`;
  return z.int(message).min(min, message).nullable();
};

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
  pingSearch: flag,
  expectedUrlCount: wholeNumber(1),
  onInvalid: z.enum(['fail', 'skip'], 'must be one of fail, skip').nullable(),
  maxRejected: wholeNumber(0),
  maxRejectedPercent: z
    .number('must be a number from 0 to 100')
    .min(0, 'must be a number from 0 to 100')
    .max(100, 'must be a number from 0 to 100')
    .nullable(),
  dryRun: flag,
  force: flag,
  ifGeneration: wholeNumber(0),
};
type MemberName = keyof typeof memberSchemas;
type MemberValues = { -readonly [Name in MemberName]?: z.output<(typeof memberSchemas)[Name]> };

/** The members that may stand in the query too. */
export const UPLOAD_PARAMETERS = Object.keys(memberSchemas) as readonly MemberName[];

/** They say what becomes of entries, so they must be known before the first one. */
const BEFORE_URLS: readonly string[] = ['onInvalid', 'dryRun', 'maxRejected', 'maxRejectedPercent'];

/** The shape of an upload document. */
export const UPLOAD_SHAPE: DocumentShape = {
  members: UPLOAD_PARAMETERS,
  array: { name: 'urls', limits: BATCH_LIMITS },
  // A typo in sitemapName would replace another sitemap.
  refusesUnknown: true,
};

const DEFAULT_SIZE_LIMIT: SizeLimit = 'standard';

export interface UploadDomain {
  readonly id: string;
  readonly hostname: string;
}

/** What the client asks for, beside the entries. */
export interface CompleteMembers {
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly sizeLimit: SizeLimit;
  readonly pingSearch: boolean;
  /** Another number of URLs is refused. */
  readonly expectedUrlCount: number | undefined;
  /** Publishes in spite of the domain's guard. */
  readonly force: boolean;
  /** The sitemap's generation that the upload may replace; 0: none. */
  readonly ifGeneration: number | undefined;
}

/** What becomes of invalid entries. Known before the first entry. */
export interface Tolerance {
  readonly onInvalid: OnInvalid;
  /** How many entries may be rejected. Undefined: any number. */
  readonly maxRejected: number | undefined;
  /** How many percent of the entries may be rejected. Undefined: any. */
  readonly maxRejectedPercent: number | undefined;
  /** Nothing is published, and all violations are counted. */
  readonly dryRun: boolean;
}

export class UploadMembers {
  readonly #getDomain: (hostname: string) => Promise<UploadDomain>;
  readonly #onSitemapName: (sitemapName: string) => void;
  readonly #inQuery = new Set<string>();
  readonly #values: MemberValues = {};
  #domain: UploadDomain | undefined;
  #hasBegun = false;
  #hasUrls = false;

  /** `getDomain` refuses a hostname that the account does not own. */
  constructor(
    getDomain: (hostname: string) => Promise<UploadDomain>,
    onSitemapName: (sitemapName: string) => void = () => {},
  ) {
    this.#getDomain = getDomain;
    this.#onSitemapName = onSitemapName;
  }

  /** Takes the members in the query. `query` has known names only. Throws Refusal. */
  async takeQuery(query: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, text] of Object.entries(query)) {
      if (Array.isArray(text)) throw invalidField(name, text, 'is given more than once');
      await this.#take(name, valueInQuery(name as MemberName, text));
      this.#inQuery.add(name);
    }
  }

  /** Yields the batches of a JSON document, and keeps the other members. */
  async *batchesOf(document: AsyncIterable<DocumentPart>): AsyncGenerator<Batch, void, undefined> {
    for await (const part of document) {
      if (part.kind === 'batch') {
        this.#hasBegun = true;
        yield part.batch;
      } else if (part.kind === 'member') await this.#take(part.name, part.value);
      else if (part.count === 0) throw noUrls();
      else this.#hasUrls = true;
    }
  }

  /** Yields the batches of a body that has nothing but entries. */
  async *recordsOf(batches: AsyncIterable<Batch>): AsyncGenerator<Batch, void, undefined> {
    if (this.#domain === undefined) {
      throw invalidField('domain', undefined, 'is required; in this form it is a query parameter');
    }
    for await (const batch of batches) {
      this.#hasBegun = true;
      this.#hasUrls ||= batch.ends.length > 0;
      yield batch;
    }
    if (!this.#hasUrls) throw noUrls();
  }

  /** The default until the member is read. */
  get sizeLimit(): SizeLimit {
    return this.#values.sizeLimit ?? DEFAULT_SIZE_LIMIT;
  }

  /** More members are sure to come while `domain` is missing. One of them may be `sizeLimit`. */
  get isMoreToCome(): boolean {
    return this.#domain === undefined && this.#values.sizeLimit === undefined;
  }

  /** Call it when the first entries are there, or later. */
  get tolerance(): Tolerance {
    const { onInvalid, maxRejected, maxRejectedPercent, dryRun } = this.#values;
    return {
      onInvalid: onInvalid ?? 'fail',
      // Without any threshold, nothing may be rejected.
      maxRejected: maxRejected ?? (maxRejectedPercent == null ? 0 : undefined),
      maxRejectedPercent: maxRejectedPercent ?? undefined,
      dryRun: dryRun ?? false,
    };
  }

  /** Call it at the end of the body. */
  complete(): CompleteMembers {
    if (this.#domain === undefined) throw invalidField('domain', undefined, 'is required');
    if (!this.#hasUrls) throw invalidField('urls', undefined, 'is required');
    const { sitemapName, pingSearch, expectedUrlCount, force, ifGeneration } = this.#values;
    return {
      domain: this.#domain,
      sitemapName: sitemapName ?? DEFAULT_SITEMAP,
      sizeLimit: this.sizeLimit,
      pingSearch: pingSearch ?? false,
      expectedUrlCount: expectedUrlCount ?? undefined,
      force: force ?? false,
      ifGeneration: ifGeneration ?? undefined,
    };
  }

  async #take(name: string, value: unknown): Promise<void> {
    if (name === 'urls') throw invalidField('urls', value, 'must be an array of URL objects');
    if (this.#inQuery.has(name)) throw invalidField(name, value, 'stands in the query already');
    if (this.#hasBegun && BEFORE_URLS.includes(name)) {
      throw invalidField(name, value, 'must come before urls, or be a query parameter');
    }
    const parsed = memberSchemas[name as MemberName].safeParse(value);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    if (name === 'domain') this.#domain = await this.#getDomain(parsed.data as string);
    else Object.assign(this.#values, { [name]: parsed.data });
    if (name === 'sitemapName') this.#onSitemapName(this.#values.sitemapName ?? DEFAULT_SITEMAP);
  }
}

function noUrls(): Refusal {
  return invalidField('urls', [], 'must hold at least one URL');
}

/** The value that JSON would have: a number or a boolean where the member is one. Any other text stays what it is. */
function valueInQuery(name: MemberName, text: unknown): unknown {
  if (memberSchemas[name] === flag && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = typeof text === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(text);
  return NUMBERS.includes(name) && isNumber ? Number(text) : text;
}

const NUMBERS: readonly MemberName[] = [
  'expectedUrlCount',
  'maxRejected',
  'maxRejectedPercent',
  'ifGeneration',
];
