/**
 * Publishes a new generation of a sitemap, an upload or a rollback: one transaction, then a write of the site. The order of
 * the locks: account, domain, garbage.
 */
import type { Actor } from '../accounts/actor.ts';
import type { ChangeSite } from '../domains/domain.ts';
import { saveDomainCounts, sumStoredBytes } from '../domains/domain-counts-store.ts';
import { type LockedDomain, lockDomain } from '../domains/domain-store.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { shownSitemapName, sitemapFileName } from '../sitemap/file-names.ts';
import { MAX_FILES_PER_INDEX } from '../sitemap/limits.ts';
import { keepReplaced } from '../sites/garbage-store.ts';
import { type SiteOrigins, siteOrigin } from '../sites/site.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import type { EventData } from '../webhooks/events.ts';
import { type Allowance, type OtherSitemaps, refuseOverPlan } from './allowance.ts';
import { tooManyFiles } from './cut-files.ts';
import { findCounts, withoutUpload, withUpload } from './domain-usage.ts';
import type { FileTotals } from './staging.ts';
import type { UploadDomain } from './upload-members.ts';
import {
  findLiveGeneration,
  type GenerationRow,
  type LiveGeneration,
  pointSitemapTo,
} from './upload-store.ts';

export interface PublishOptions extends SiteOrigins {
  readonly changeSite: ChangeSite;
  readonly keepReplacedMs: number;
  readonly now: () => Date;
  /** As `accounts/hold-caller.ts` has it. */
  readonly holdCaller: (transaction: Transaction, uploader: Actor) => Promise<void>;
  /** What the customer should know of the hosts of the pages. Called when there may be something. */
  readonly takeWarnings: (transaction: Transaction, domainId: string) => Promise<readonly string[]>;
}

export interface Uploader extends Actor {
  readonly allowance: Allowance;
}

/** What the client says about publishing. */
export interface PublishTerms {
  /** The sitemap's generation that must be live; 0: none. Undefined: any. */
  readonly ifGeneration: number | undefined;
}

/** In the transaction, when all is written. If it throws, nothing is published. */
export type OnPublished = (transaction: Transaction, published: PublishedUpload) => Promise<void>;

export interface Publication {
  readonly kind: EventData['upload.published']['kind'];
  /** Of the upload, or of the rollback. */
  readonly id: string;
  /** Holds the objects, and says what they add up to. `former` is live. Throws Refusal. */
  readonly take: (transaction: Transaction, former: LiveGeneration | undefined) => Promise<FileTotals>;
  /** Whether the guard of the domain lets it pass; null: the domain has none. Throws Refusal. */
  readonly judge?: (former: LiveGeneration | undefined, maxRemovedPercent: number | null) => void;
  /** Inserts the rows of the generation and its files. */
  readonly insert: (transaction: Transaction, row: GenerationRow) => Promise<void>;
  readonly onPublished?: OnPublished | undefined;
  /** Called just before COMMIT. From then on it may be live, even if the answer to COMMIT is lost. */
  readonly beforeCommit?: () => void;
}

export interface PublishedUpload extends FileTotals {
  /** The seq of the sitemap's new generation. */
  readonly generation: number;
  /** Hosting serves a domain once it is verified. */
  readonly isServed: boolean;
  /** Whether its site has a certificate. */
  readonly isSecure: boolean;
  /**
   * What becomes of its changed URLs: it is compared with the upload that it replaced, or there is none. Undefined when
   * the domain does not submit.
   */
  readonly indexNow: 'pending' | 'skipped' | undefined;
  /** For people. */
  readonly warnings: readonly string[];
}

/**
 * A Refusal means that nothing is published. After any other error it may be live all the same, or go live later: the
 * answer to COMMIT may be lost.
 */
export async function publishGeneration(
  options: PublishOptions,
  uploader: Uploader,
  domain: UploadDomain,
  sitemapName: string,
  { ifGeneration }: PublishTerms,
  publication: Publication,
): Promise<PublishedUpload> {
  const { accountId, allowance } = uploader;
  const { id, kind } = publication;
  const publishedAt = wholeSecond(options.now());
  return options.changeSite(
    domain,
    async (transaction) => {
      // Lock the account before the domain: each concurrent publisher sees what the ones before it have stored.
      await options.holdCaller(transaction, uploader);
      const locked = await lockDomain(transaction, domain.id);
      if (locked === undefined) {
        throw new Refusal('NOT_FOUND', `The domain ${domain.hostname} has been deleted.`);
      }
      const former = await findLiveGeneration(transaction, domain.id, sitemapName);
      refuseOtherGeneration(ifGeneration, former);
      const totals = await publication.take(transaction, former);
      const counts = await findCounts(transaction, domain.id);
      const accountBytes = (await sumStoredBytes(transaction, [accountId])).get(accountId) ?? 0;
      refuseOverLimits(allowance, withoutUpload(counts, accountBytes, former), totals);
      publication.judge?.(former, locked.maxRemovedPercent);

      const warnings = locked.hasWarnings ? await options.takeWarnings(transaction, domain.id) : [];
      const seq = nextSeq(former, locked);
      const row = { id, domainId: domain.id, sitemapName, seq, totals, publishedAt };
      await publication.insert(transaction, row);
      if (former !== undefined) {
        const replaced = { uploadId: former.id, domainId: domain.id, sitemapName, nextSeq: seq };
        await keepReplaced(transaction, [replaced], options.keepReplacedMs);
      }
      await pointSitemapTo(transaction, row, accountId, former?.urlCount ?? 0);
      await saveDomainCounts(transaction, domain.id, withUpload(counts, former, totals));
      if (locked.hasWebhooks) {
        const event = describePublished(options, domain, row, kind, locked.isSecure);
        await emitEvent(transaction, accountId, 'upload.published', event);
      }
      const published = publishedUpload(row, locked, former, warnings);
      await publication.onPublished?.(transaction, published);
      return published;
    },
    publication.beforeCommit,
  );
}

/** Sitemaps, listings and HTTP dates show whole seconds. */
export function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

export function nextSeq(
  former: Pick<LiveGeneration, 'seq'> | undefined,
  { deletedSeq }: Pick<LockedDomain, 'deletedSeq'>,
): number {
  return (former?.seq ?? deletedSeq) + 1;
}

/** Throws Refusal. */
export function refuseOverLimits(allowance: Allowance, others: OtherSitemaps, totals: FileTotals): void {
  if (others.files + totals.fileCount > MAX_FILES_PER_INDEX) throw tooManyFiles();
  refuseOverPlan(allowance, others, totals.gzipBytes);
}

/** `former`: what the generation replaces. */
export function publishedUpload(
  { totals, seq }: Pick<GenerationRow, 'totals' | 'seq'>,
  { isServed, isSecure, isIndexNowEnabled }: LockedDomain,
  former: object | undefined,
  warnings: readonly string[],
): PublishedUpload {
  const comparison = former === undefined ? 'skipped' : 'pending';
  const indexNow = isIndexNowEnabled ? comparison : undefined;
  return { ...totals, generation: seq, isServed, isSecure, warnings, indexNow };
}

/** Spec D63. */
export function refuseOtherGeneration(
  wanted: number | undefined,
  live: Pick<LiveGeneration, 'seq'> | undefined,
): void {
  const generation = live?.seq ?? 0;
  if (wanted === undefined || wanted === generation) return;
  const message =
    live === undefined
      ? 'ifGeneration: there is no such sitemap'
      : `ifGeneration: the sitemap is at generation ${generation}`;
  throw new Refusal('CONFLICT', message, { details: { field: 'ifGeneration', value: wanted, generation } });
}

export function describePublished(
  origins: SiteOrigins,
  { id: domainId, hostname }: UploadDomain,
  { id: uploadId, sitemapName, seq, totals, publishedAt }: GenerationRow,
  kind: Publication['kind'],
  isSecure: boolean,
): EventData['upload.published'] {
  const { urlCount, fileCount } = totals;
  return {
    ...{ domainId, domain: hostname, sitemapName: shownSitemapName(sitemapName) },
    ...{ uploadId, generation: seq, kind, urlCount, fileCount },
    sitemapUrl: `${siteOrigin(origins, hostname, isSecure)}/${sitemapFileName(sitemapName)}`,
    publishedAt: isoSeconds(publishedAt),
  };
}
