/** All operations, in the order in which people read of them. A test compares them with the routes. */
import { attemptOperations } from './attempt-operations.ts';
import { domainOperations } from './domain-operations.ts';
import { generationOperations } from './generation-operations.ts';
import { indexNowOperations } from './indexnow-operations.ts';
import type { Operation } from './operation.ts';
import { pageHostOperations } from './page-host-operations.ts';
import { referenceOperations } from './reference-operations.ts';
import { sitemapOperations } from './sitemap-operations.ts';
import { uploadOperations } from './upload-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

export const OPERATIONS: readonly Operation[] = [
  ...domainOperations,
  ...uploadOperations,
  ...attemptOperations,
  ...sitemapOperations,
  ...generationOperations,
  ...indexNowOperations,
  ...pageHostOperations,
  ...webhookOperations,
  ...referenceOperations,
];

/** The groups of operations, and what they are about. */
export const TAGS: Readonly<Record<string, string>> = {
  Domains: 'Hostnames of yours on which sitemaps are served.',
  Uploads: 'Lists of URLs that become sitemaps.',
  Sitemaps: 'What is served on a domain.',
  IndexNow: 'The submission of changed URLs to search engines.',
  'Page hosts': 'Whether `robots.txt` of the hosts of your pages names your sitemaps.',
  Webhooks: 'Addresses of yours that hear what happens.',
  Reference: 'This description.',
};
