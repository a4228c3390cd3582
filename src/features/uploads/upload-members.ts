/**
 * Reads the members of an upload document other than `urls`. These members may also be query parameters. In the document they come in any
 * order, but the members of `BEFORE_URLS` must come before `urls`. Each member is checked when it is read, so the first fault is reported.
 */
import { z } from 'zod';
import { DEFAULT_SITEMAP, SITEMAP_NAME } from '../../core/sitemap/file-names.ts';
import { ENTRIES_PER_FILE, type SizeLimit } from '../../core/sitemap/limits.ts';
import type { DocumentPart, DocumentShape } from '../../platform/json/json-document.ts';
import { invalidField, type Refusal } from '../../platform/refusal.ts';
import { PLACEMENTS, type Placement } from '../domains/domain.ts';
import { BATCH_LIMITS } from './forms/batch-limits.ts';
import type { Batch, OnInvalid } from './fragment.ts';

const flag = z.boolean('must be true or false').nullable();
const wholeNumber = (min: number) => {
  const message = `must be a whole number, at least ${min}`;
  return z.int(message).min(min, message).nullable();
};

export const memberSchemas = {
  domain: z.string('must be a hostname'),
  sitemapName: z
    .string('must be a string')
    .regex(SITEMAP_NAME, 'must be 1 to 64 characters from A-Z a-z 0-9 _ -, and not "index" or "default"')
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
  placement: z.enum(PLACEMENTS, `must be one of ${PLACEMENTS.join(', ')}`).nullable(),
  dryRun: flag,
  force: flag,
  ifGeneration: wholeNumber(0),
};
type MemberName = keyof typeof memberSchemas;
type MemberValues = { -readonly [Name in MemberName]?: z.output<(typeof memberSchemas)[Name]> };

/** The members that may also be query parameters. */
export const UPLOAD_PARAMETERS = Object.keys(memberSchemas) as readonly MemberName[];

/** These members decide how entries are judged. So they must come before the first entry. */
const BEFORE_URLS: readonly string[] = ['onInvalid', 'dryRun', 'maxRejected', 'maxRejectedPercent'];

/** A file with one object on each line, which databases also call JSON, has `loc` outside of `urls`. */
export const MISPLACED = {
  loc: 'is a member of an entry: entries stand in urls, or each on a line of application/x-ndjson',
};

export const UPLOAD_SHAPE: DocumentShape = {
  members: UPLOAD_PARAMETERS,
  arrays: ['urls'],
  limits: BATCH_LIMITS,
  root: { refused: 'an array of entries needs domain in the query' },
  // Ignoring unknown members is dangerous: with a typo in `sitemapName`, the upload replaces the unnamed sitemap.
  refusesUnknown: true,
  misplaced: MISPLACED,
};

/** In a preview, or if the query has `domain`, the document may also be the array `urls` alone, as many tools write it. */
export const ARRAY_OR_UPLOAD_SHAPE: DocumentShape = { ...UPLOAD_SHAPE, root: { array: 'urls' } };

const DEFAULT_SIZE_LIMIT: SizeLimit = 'standard';

export interface UploadDomain {
  readonly id: string;
  readonly hostname: string;
}

/** The domain of a new upload, with the placement that its owner wishes. */
export interface ReceivingDomain extends UploadDomain {
  readonly placement: Placement;
}

/** The wishes of the client, beside the entries. */
export interface CompleteMembers {
  readonly domain: ReceivingDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly sizeLimit: SizeLimit;
  readonly pingSearch: boolean;
  /** An upload with another number of URLs is refused. */
  readonly expectedUrlCount: number | undefined;
  /** Undefined means the placement of the domain. */
  readonly placement: Placement | undefined;
  /** Whether to publish in spite of the domain's guard, and also if the content is the same as before. */
  readonly force: boolean;
  /** The generation that the upload may replace. 0 means that the sitemap must not exist. */
  readonly ifGeneration: number | undefined;
}

/** The terms for invalid entries. They are known before the first entry. */
export interface Tolerance {
  readonly onInvalid: OnInvalid;
  /** The most entries that may be rejected. Undefined means any number. */
  readonly maxRejected: number | undefined;
  /** The highest percentage of entries that may be rejected. Undefined means any percentage. */
  readonly maxRejectedPercent: number | undefined;
  /** Whether this is a dry run, which publishes nothing and counts all violations. */
  readonly dryRun: boolean;
}

export class UploadMembers {
  readonly #getDomain: (hostname: string) => Promise<ReceivingDomain>;
  readonly #onSitemapName: (sitemapName: string) => void;
  readonly #inQuery = new Set<string>();
  readonly #values: MemberValues = {};
  #domain: ReceivingDomain | undefined;
  #hasBegun = false;
  #hasUrls = false;

  /** `getDomain` refuses a hostname that the account does not own. */
  constructor(
    getDomain: (hostname: string) => Promise<ReceivingDomain>,
    onSitemapName: (sitemapName: string) => void = () => {},
  ) {
    this.#getDomain = getDomain;
    this.#onSitemapName = onSitemapName;
  }

  /** Takes the members in the query. `query` must have only known names. Throws Refusal. */
  async takeQuery(query: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, text] of Object.entries(query)) {
      if (Array.isArray(text)) throw invalidField(name, text, 'is given more than once');
      await this.#take(name, valueInQuery(name, text));
      this.#inQuery.add(name);
    }
  }

  /** The shape of the JSON document that follows the query. */
  get documentShape(): DocumentShape {
    return this.#inQuery.has('domain') ? ARRAY_OR_UPLOAD_SHAPE : UPLOAD_SHAPE;
  }

  /** Yields the batches of a JSON document, and keeps the other members. `readBy` adds to a batch how its values are read. */
  async *batchesOf(
    document: AsyncIterable<DocumentPart>,
    readBy: (batch: Batch, isArray: boolean) => Batch = (batch) => batch,
  ): AsyncGenerator<Batch, void, undefined> {
    for await (const part of document) {
      if (part.kind === 'batch') {
        this.#hasBegun = true;
        yield readBy(part.batch, part.isRoot === true);
      } else if (part.kind === 'member') await this.#take(part.name, part.value);
      else if (part.count === 0) throw noUrls();
      else this.#hasUrls = true;
    }
  }

  /** Yields the batches of a body that consists only of entries. */
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

  /** The size limit. It is the default until the member `sizeLimit` is read. */
  get sizeLimit(): SizeLimit {
    return this.#values.sizeLimit ?? DEFAULT_SIZE_LIMIT;
  }

  /**
   * Whether `sizeLimit` is likely to come after `urls`: more members must come, because `domain` is missing, and `sizeLimit` is missing
   * too.
   */
  get isMoreToCome(): boolean {
    return this.#domain === undefined && this.#values.sizeLimit === undefined;
  }

  /** The expected number of URLs. Undefined until the member `expectedUrlCount` is read. */
  get expectedUrlCount(): number | undefined {
    return this.#values.expectedUrlCount ?? undefined;
  }

  /** Read this when the first entries have come, or later. */
  get tolerance(): Tolerance {
    const { onInvalid, maxRejected, maxRejectedPercent, dryRun } = this.#values;
    return {
      onInvalid: onInvalid ?? 'fail',
      // If the client gives no threshold, no entry may be rejected.
      maxRejected: maxRejected ?? (maxRejectedPercent == null ? 0 : undefined),
      maxRejectedPercent: maxRejectedPercent ?? undefined,
      dryRun: dryRun ?? false,
    };
  }

  /** Call this at the end of the body. */
  complete(): CompleteMembers {
    if (this.#domain === undefined) throw invalidField('domain', undefined, 'is required');
    if (!this.#hasUrls) throw invalidField('urls', undefined, 'is required');
    const { sitemapName, pingSearch, expectedUrlCount, placement, force, ifGeneration } = this.#values;
    return {
      domain: this.#domain,
      sitemapName: sitemapName ?? DEFAULT_SITEMAP,
      sizeLimit: this.sizeLimit,
      pingSearch: pingSearch ?? false,
      expectedUrlCount: expectedUrlCount ?? undefined,
      placement: placement ?? undefined,
      force: force ?? false,
      ifGeneration: ifGeneration ?? undefined,
    };
  }

  async #take(name: string, value: unknown): Promise<void> {
    if (this.#inQuery.has(name)) throw invalidField(name, value, 'stands in the query already');
    if (this.#hasBegun && BEFORE_URLS.includes(name)) {
      throw invalidField(name, value, 'must come before urls, or be a query parameter');
    }
    const parsed = parseMemberOfDocument(name, value);
    if (name === 'domain') this.#domain = await this.#getDomain(parsed as string);
    else Object.assign(this.#values, { [name]: parsed });
    if (name === 'sitemapName') this.#onSitemapName(this.#values.sitemapName ?? DEFAULT_SITEMAP);
  }
}

/** Parses the value of a member. Throws Refusal. */
export function parseMember<Name extends MemberName>(
  name: Name,
  value: unknown,
): z.output<(typeof memberSchemas)[Name]> {
  const parsed = memberSchemas[name].safeParse(value);
  if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
  return parsed.data as z.output<(typeof memberSchemas)[Name]>;
}

/** Parses the value of a member of a document, whose `urls` may be no array. Throws Refusal. */
export function parseMemberOfDocument(name: string, value: unknown): unknown {
  if (name === 'urls') throw invalidField('urls', value, 'must be an array of URL objects');
  return parseMember(name as MemberName, value);
}

export function noUrls(): Refusal {
  return invalidField('urls', [], 'must hold at least one URL');
}

/** Returns the value of a query parameter with the type that JSON gives it: a boolean, a number or a string. */
export function valueInQuery(name: string, text: unknown): unknown {
  if (memberSchemas[name as MemberName] === flag && (text === 'true' || text === 'false'))
    return text === 'true';
  const isNumber = typeof text === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(text);
  return NUMBERS.includes(name as MemberName) && isNumber ? Number(text) : text;
}

const NUMBERS: readonly MemberName[] = [
  'expectedUrlCount',
  'maxRejected',
  'maxRejectedPercent',
  'ifGeneration',
];
