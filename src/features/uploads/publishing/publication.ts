/** The types of a publication and its outcome. A publication makes a generation of a sitemap: an upload, a rollback or a delta. */
import { shownSitemapName, sitemapFileName } from '../../../core/sitemap/file-names.ts';
import { isoSeconds } from '../../../platform/iso-seconds.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import type { Actor } from '../../accounts/actor.ts';
import { type GivenScope, requireAction, requireTarget } from '../../accounts/key-scope.ts';
import type { LockedDomain } from '../../domains/domain-store.ts';
import { type SiteOrigins, siteOrigin } from '../../sites/site.ts';
import type { EventData } from '../../webhooks/events.ts';
import type { Allowance } from '../allowance.ts';
import type { Attempt, EndedAttempt } from '../attempt.ts';
import type { ContentPrint } from '../content-print.ts';
import type { PlacementReason } from '../placement/messages.ts';
import type { FileTotals } from '../staging.ts';
import type { UploadDomain } from '../upload-members.ts';
import type { GenerationRow, LiveGeneration } from '../upload-store.ts';

export interface PublishOptions extends SiteOrigins {
  readonly database: Database;
  /** Throws NotYetVisible if the site cannot be written. */
  readonly writeSite: (hostname: string) => Promise<unknown>;
  readonly keepReplacedMs: number;
  /** The time of publications. Only tests set it. The default is `FormerSitemap.nextAt`. */
  readonly publishTime?: (() => Date) | undefined;
  /** Returns the warnings about page hosts for the customer. Called only if there may be warnings. */
  readonly takeWarnings: (transaction: Transaction, domainId: string) => Promise<readonly string[]>;
}

export interface Uploader extends Actor {
  readonly allowance: Allowance;
  /** The scope of the key, for an early refusal. A publication reads the scope again in its transaction. */
  readonly scope?: GivenScope;
}

/** The terms of the client for any publication. */
export interface PublishTerms {
  /**
   * The generation of the sitemap that must be live. 0 means that the sitemap must not exist. Undefined means no
   * condition.
   */
  readonly ifGeneration: number | undefined;
}

/** The terms of the client for the publication of an upload. */
export interface UploadTerms extends PublishTerms {
  /** Whether to publish in spite of the domain's guard, and also if the content is the same as before. */
  readonly force: boolean;
}

/**
 * Runs in the transaction, after the generation is written or found unchanged. If it throws, no generation of the transaction is published.
 */
export type OnPublished = (transaction: Transaction, published: PublishedUpload) => Promise<void>;

/**
 * The totals of a generation, and the print of its entries. `print` is null for an upload that a version of Waypost without prints took.
 */
export interface Content extends FileTotals {
  readonly print: ContentPrint | null;
}

export interface Publication {
  readonly kind: EventData['upload.published']['kind'];
  /** The id of the upload, of the rollback or of the delta. */
  readonly id: string;
  readonly uploader: Uploader;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly terms: UploadTerms;
  /**
   * The content of the generation, if it is known before `take`. A rollback and a delta that changes something always make a generation, so
   * they have no `content`. A publication with `isSame` has none, either.
   */
  readonly content?: Content;
  /** Whether the live generation has the entries of this publication. Given in place of `content`. */
  readonly isSame?: (live: LiveGeneration) => boolean;
  /**
   * Protects the objects of the generation from collection, and returns their content. `live` is the generation that the new one
   * replaces. Throws Refusal.
   */
  readonly take: (transaction: Transaction, live: LiveGeneration | undefined) => Promise<Content>;
  /** The attempts to record with the generation. None for a rollback, a dry run, and an upload whose attempt is recorded already. */
  readonly attempts?: readonly Attempt[];
  readonly onPublished?: OnPublished | undefined;
  /** Undefined if there was nothing to place. */
  readonly placement?: ShownPlacement | undefined;
}

/** The placement of an upload's entries (docs/decisions/0055). */
export type ShownPlacement =
  | { readonly placement: 'stable' }
  | { readonly placement: 'order'; readonly placementReason?: PlacementReason };

export interface PublishedUpload extends FileTotals {
  /** The seq of the sitemap's new generation, or of the live one if the upload changes nothing. */
  readonly generation: number;
  /** Whether nothing was published, because the live generation has the same entries, in any order. */
  readonly isUnchanged: boolean;
  /** The number of files that differ from the former file of the same number. */
  readonly filesChanged: number;
  /** Whether the site must be written before the answer. */
  readonly isSiteDue: boolean;
  /** Whether hosting serves the domain. Hosting serves only verified domains. */
  readonly isServed: boolean;
  /** Whether the site of the domain has a certificate. */
  readonly isSecure: boolean;
  /**
   * The submission of the changed URLs. `pending` until the upload is compared with the upload before it. `skipped` if it is the first
   * upload, or changed nothing. Undefined if the domain does not submit changed URLs.
   */
  readonly indexNow: 'pending' | 'skipped' | undefined;
  /** Undefined if there was nothing to place. */
  readonly placement?: ShownPlacement | undefined;
  /** Texts for people. */
  readonly warnings: readonly string[];
}

/** Each publication calls this function for each of its callers, with the scope that its transaction has read. Throws Refusal. */
export function requirePublication(scope: GivenScope, { kind, domain, sitemapName }: Publication): void {
  requireAction(scope, [kind === 'rollback' ? 'rollback' : 'upload']);
  requireTarget(scope, { domainId: domain.id, sitemapName });
}

/** The records of the attempts that made a generation. */
export function endedAttempts(
  { attempts = [] }: Pick<Publication, 'attempts'>,
  { seq }: Pick<GenerationRow, 'seq'>,
): EndedAttempt[] {
  return attempts.map((attempt) => attempt.publish(seq));
}

/** `live` is the generation that the new one replaces. */
export function publishedUpload(
  { totals, seq }: Pick<GenerationRow, 'totals' | 'seq'>,
  { isServed, isSecure, isIndexNowEnabled }: LockedDomain,
  live: LiveGeneration | undefined,
  filesChanged: number,
  warnings: readonly string[],
  placement: ShownPlacement | undefined,
): PublishedUpload {
  const comparison = live === undefined ? 'skipped' : 'pending';
  const indexNow = isIndexNowEnabled ? comparison : undefined;
  const generation = seq;
  return {
    ...totals,
    generation,
    isUnchanged: false,
    filesChanged,
    isSiteDue: true,
    isServed,
    isSecure,
    warnings,
    indexNow,
    ...(placement !== undefined && { placement }),
  };
}

/** Describes an upload that has the entries of the live one. `isSiteDue`: an earlier change of the site is not written yet. */
export function unchangedUpload(
  { seq: generation, urlCount, fileCount, bytes, gzipBytes }: LiveGeneration,
  { isServed, isSecure, isIndexNowEnabled }: LockedDomain,
  isSiteDue: boolean,
): PublishedUpload {
  const indexNow = isIndexNowEnabled ? 'skipped' : undefined;
  const totals = { urlCount, fileCount, bytes, gzipBytes };
  return {
    ...totals,
    generation,
    isUnchanged: true,
    filesChanged: 0,
    isSiteDue,
    isServed,
    isSecure,
    warnings: [],
    indexNow,
  };
}

export function publishedEvent(
  origins: SiteOrigins,
  { domain: { id: domainId, hostname }, kind, placement }: Publication,
  { id: uploadId, sitemapName, seq, totals, publishedAt }: GenerationRow,
  { isSecure }: LockedDomain,
  filesChanged: number,
): EventData['upload.published'] {
  const { urlCount, fileCount } = totals;
  return {
    domainId,
    domain: hostname,
    sitemapName: shownSitemapName(sitemapName),
    uploadId,
    generation: seq,
    kind,
    urlCount,
    fileCount,
    filesChanged,
    ...placement,
    sitemapUrl: `${siteOrigin(origins, hostname, isSecure)}/${sitemapFileName(sitemapName)}`,
    publishedAt: isoSeconds(publishedAt),
  };
}
