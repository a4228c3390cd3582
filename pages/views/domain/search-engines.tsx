/** The address for search engines, and links to the sites of Google and Bing where people submit it. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useSitemaps } from '../../api/domain.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { searchConsole } from '../../parts/search-console.ts';
import { CodeLine } from './open-robots.tsx';
import { submitAddress } from './submit-address.ts';

export interface SearchEnginesProps {
  readonly domain: DomainDetails;
  /** Whether the submission of the address is the next step. */
  readonly isNext: boolean;
}

export function SearchEngines({ domain, isNext }: SearchEnginesProps) {
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
        <Outside href={searchConsole(address)} isNext={isNext}>
          Google Search Console
        </Outside>
        <Outside href={`https://www.bing.com/webmasters/sitemaps?siteUrl=${site}`}>
          Bing Webmaster Tools
        </Outside>
      </div>
    </Card>
  );
}

interface OutsideProps {
  readonly href: string;
  readonly isNext?: boolean;
  readonly children: string;
}

function Outside({ href, isNext = false, children }: OutsideProps) {
  return (
    <a class={isNext ? 'button primary full' : 'button full'} {...{ href }} target="_blank" rel="noreferrer">
      {children} <Icon name="outside" />
    </a>
  );
}
