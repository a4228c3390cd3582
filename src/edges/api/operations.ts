/** All operations, in the order of the reference page. */
import { type AttemptNeeds, attemptOperations } from './attempt-operations.ts';
import { type ChangeNeeds, changeOperations } from './change-operations.ts';
import { type ConnectionNeeds, connectionOperations } from './connection-operations.ts';
import { type CrawlNeeds, crawlOperations } from './crawl-operations.ts';
import { deliveryOperations } from './delivery-operations.ts';
import { type DeltaNeeds, deltaOperations } from './delta-operations.ts';
import { type DomainNeeds, domainOperations } from './domain-operations.ts';
import { type FindNeeds, findOperations } from './find-operations.ts';
import { type GenerationNeeds, generationOperations } from './generation-operations.ts';
import { type GuardNeeds, guardOperations } from './guard-operations.ts';
import { hookOperation } from './hook-routes.ts';
import { type HostnameNeeds, hostnameOperations } from './hostname-operations.ts';
import { type IndexNowNeeds, indexNowOperations } from './indexnow-operations.ts';
import { type LoadNeeds, loadOperations } from './load-operations.ts';
import { type NeedNeeds, needOperations } from './need-operations.ts';
import type { DescribedOperation, Operation } from './operation.ts';
import type { CallNeeds } from './operation-routes.ts';
import { type PageHostNeeds, pageHostOperations } from './page-host-operations.ts';
import { type PreviewNeeds, previewOperations } from './preview-operations.ts';
import { referenceOperations } from './reference/reference-operations.ts';
import { type ScheduleNeeds, scheduleOperations } from './schedule-operations.ts';
import { type SessionNeeds, sessionOperations } from './session-operations.ts';
import { type SitemapNeeds, sitemapOperations } from './sitemap-operations.ts';
import { type UploadNeeds, uploadOperations } from './upload-operations.ts';
import { type UsageNeeds, usageOperations } from './usage-operations.ts';
import { type WebhookNeeds, webhookOperations } from './webhook-operations.ts';

export type CustomerNeeds = CallNeeds &
  DomainNeeds &
  HostnameNeeds &
  UploadNeeds &
  PreviewNeeds &
  DeltaNeeds &
  SessionNeeds &
  LoadNeeds &
  ConnectionNeeds &
  ScheduleNeeds &
  AttemptNeeds &
  GuardNeeds &
  SitemapNeeds &
  ChangeNeeds &
  FindNeeds &
  CrawlNeeds &
  NeedNeeds &
  GenerationNeeds &
  IndexNowNeeds &
  PageHostNeeds &
  WebhookNeeds &
  UsageNeeds;

export const CUSTOMER_OPERATIONS: readonly Operation<CustomerNeeds>[] = [
  // A path comes before another path that also matches it: `/api/domains/check` before `/api/domains/{id}`, `/api/uploads/preview` before
  // `/api/uploads/{id}`.
  ...hostnameOperations,
  ...domainOperations,
  ...uploadOperations,
  ...previewOperations,
  ...deltaOperations,
  ...sessionOperations,
  ...loadOperations,
  ...connectionOperations,
  ...scheduleOperations,
  ...attemptOperations,
  ...guardOperations,
  ...sitemapOperations,
  ...changeOperations,
  ...findOperations,
  ...crawlOperations,
  ...needOperations,
  ...generationOperations,
  ...indexNowOperations,
  ...pageHostOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...usageOperations,
];

export const OPERATIONS: readonly DescribedOperation[] = [
  ...CUSTOMER_OPERATIONS,
  hookOperation,
  ...referenceOperations,
];

/** The groups of operations, with their descriptions. */
export const TAGS: Readonly<Record<string, string>> = {
  Domains: 'Hostnames of yours on which sitemaps are served.',
  Uploads: 'Lists of URLs that become sitemaps.',
  Schedules: 'When a sitemap is loaded again by itself.',
  Sitemaps: 'What is served on a domain.',
  Crawls: 'Which files crawlers fetched, and the errors that they got.',
  IndexNow: 'The submission of changed URLs to search engines.',
  'Page hosts': 'Whether `robots.txt` of the hosts of your pages names your sitemaps.',
  Webhooks: 'Addresses of yours that hear what happens.',
  Account: 'What your account used.',
  Reference: 'This description.',
};
