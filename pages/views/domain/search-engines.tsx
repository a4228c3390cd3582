/** The address for search engines, and the ways to tell them. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useSitemaps } from '../../api/domain.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { searchConsole } from '../../parts/search-console.ts';
import { CodeLine } from './open-robots.tsx';
import { submitAddress } from './submit-address.ts';

export function SearchEngines({ domain }: { readonly domain: DomainDetails }) {
  const { rows } = useSitemaps(domain.id);
  const address = submitAddress(domain, rows);
  const site = encodeURIComponent(`${new URL(address).origin}/`);
  return (
    <Card title="For search engines">
      <div class="field">
        <span class="label">Address to submit</span>
        <CodeLine text={address} label="the address" />
      </div>
      <div class="lines">
        <Outside href={searchConsole(address)}>Google Search Console</Outside>
        <Outside href={`https://www.bing.com/webmasters/sitemaps?siteUrl=${site}`}>
          Bing Webmaster Tools
        </Outside>
      </div>
    </Card>
  );
}

function Outside({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a class="button full" {...{ href }} target="_blank" rel="noreferrer">
      {children} <Icon name="outside" />
    </a>
  );
}
