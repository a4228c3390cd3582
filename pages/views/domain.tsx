/** One domain: whether it is served and what is in the way, its sitemaps and uploads, and its settings. */
import { useRoute } from 'preact-iso';
import type { DomainDetails } from '../../client/src/answers.ts';
import { useDomain } from '../api/domain.ts';
import { useMoving } from '../api/live.ts';
import { CrawlChart } from '../parts/crawl-chart.tsx';
import { DomainState, domainState } from '../parts/domain-state.tsx';
import { Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/states.tsx';
import { DeleteDomain } from './domain/delete-domain.tsx';
import { DnsCard } from './domain/dns-card.tsx';
import { isDnsFine } from './domain/dns-state.ts';
import { domainSentence } from './domain/domain-sentence.ts';
import { GuardCard } from './domain/guard-card.tsx';
import { HttpsCard } from './domain/https-card.tsx';
import { PageHostsCard } from './domain/page-hosts-card.tsx';
import { RecentCard } from './domain/recent-card.tsx';
import { SitemapTable } from './domain/sitemap-table.tsx';
import { SubmissionCard } from './domain/submission-card.tsx';
import { UploadHistory } from './domain/upload-history.tsx';
import { uploadPage } from './domain/upload-page.ts';
import { RunningUploads } from './overview/running-uploads.tsx';

export function Domain() {
  const id = String(useRoute().params.id);
  const domain = useDomain(id);
  useMoving(domain.data !== undefined && domainState(domain.data).tone === 'busy');
  return (
    <Page
      title={domain.data?.hostname ?? 'Domain'}
      above={<a href="/dashboard">Overview</a>}
      actions={
        domain.data && (
          <a class="button primary" href={uploadPage(id)}>
            Upload URLs
          </a>
        )
      }
    >
      <WhenLoaded query={domain}>{(found) => <Content key={found.id} domain={found} />}</WhenLoaded>
    </Page>
  );
}

function Content({ domain }: { readonly domain: DomainDetails }) {
  const { message, dns, certificate } = domain;
  // What the cards below do not say.
  const isNews = message !== undefined && message !== dns.problem && message !== certificate?.lastError;
  return (
    <>
      <p class="line">
        <DomainState domain={domain} /> <span>{domainSentence(domain)}</span>
      </p>
      {isNews && <p class="notice notice-bad">{message}</p>}
      {/* What is fine needs little room. */}
      <div class={isDnsFine(domain) ? 'pair' : 'stack'}>
        <DnsCard domain={domain} />
        <HttpsCard domain={domain} />
      </div>
      <RunningUploads domainId={domain.id} />
      <SitemapTable domain={domain} />
      <UploadHistory domainId={domain.id} />
      <CrawlChart domain={domain.id} />
      <PageHostsCard domainId={domain.id} />
      <SubmissionCard domain={domain} />
      <RecentCard domain={domain} />
      <GuardCard domain={domain} />
      <DeleteDomain domain={domain} />
    </>
  );
}
