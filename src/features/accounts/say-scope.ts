/** Describes the scope of a key in one line for people. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import type { KeyAction } from './key-actions.ts';
import type { ApiKeyDescription } from './key-store.ts';

const WORDS: Readonly<Record<KeyAction, string>> = {
  read: 'read',
  upload: 'upload',
  rollback: 'roll back',
  delete: 'delete sitemaps',
  domains: 'manage domains',
  webhooks: 'manage webhooks',
  connections: 'manage connections',
};

/** Returns the scope in words, as in `upload; sitemaps: products; domains: sitemaps.example.com; from: 192.0.2.0/24`. */
export function sayScope({ scope, hostnames }: Pick<ApiKeyDescription, 'scope' | 'hostnames'>): string {
  if (scope === null) return 'everything';
  const { actions, sitemapNames, domainIds, ranges } = scope;
  const gone = (domainIds?.length ?? 0) - (hostnames?.length ?? 0);
  const domains = [...(hostnames ?? []), ...(gone > 0 ? [`${gone} deleted`] : [])];
  return [
    actions === null ? 'everything' : actions.map((action) => WORDS[action]).join(', '),
    sitemapNames && `sitemaps: ${sitemapNames.map(shownSitemapName).join(', ')}`,
    domainIds && `domains: ${domains.join(', ')}`,
    ranges && `from: ${ranges.join(', ')}`,
  ]
    .filter((part) => part !== null)
    .join('; ');
}
