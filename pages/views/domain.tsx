/** The page of a domain: an overview with its next step, and a tab each for its sitemaps, uploads, crawlers and settings. */
import type { ComponentType } from 'preact';
import { useRoute } from 'preact-iso';
import type { DomainDetails } from '../../client/src/answers.ts';
import { domainPage, useDomain, useSitemaps } from '../api/domain.ts';
import { useMoving } from '../api/live.ts';
import { Chip } from '../parts/chip.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import '../style/domain.css';
import { CrawlChart } from '../parts/crawl-chart.tsx';
import { isServed } from '../parts/domain-state.ts';
import { CrawlErrors } from './crawlers/crawl-errors.tsx';
import { LastVisits } from './crawlers/last-visits.tsx';
import { headState } from './domain/checklist.ts';
import { DomainOverview } from './domain/domain-overview.tsx';
import { DomainSettings } from './domain/domain-settings.tsx';
import { DomainSitemaps } from './domain/domain-sitemaps.tsx';
import { OpenSessions } from './domain/open-sessions.tsx';
import { submitAddress } from './domain/submit-address.ts';
import { UploadHistory } from './domain/upload-history.tsx';
import { uploadPage } from './domain/upload-page.ts';
import { useChecklist } from './domain/use-checklist.ts';
import { useUploads } from './domain/use-uploads.ts';
import { NotFound } from './not-found.tsx';
import { RunningUploads } from './overview/running-uploads.tsx';

interface Tab {
  readonly tab: string;
  readonly name: string;
  readonly Content: ComponentType<{ readonly domain: DomainDetails }>;
}

const TABS: readonly Tab[] = [
  { tab: 'sitemaps', name: 'Sitemaps', Content: DomainSitemaps },
  { tab: 'uploads', name: 'Uploads', Content: DomainUploads },
  { tab: 'crawlers', name: 'Crawlers', Content: DomainCrawlers },
  { tab: 'settings', name: 'Settings', Content: DomainSettings },
];

export function Domain() {
  const { id, tab } = useRoute().params;
  const open = TABS.find((known) => known.tab === tab);
  if (tab !== undefined && open === undefined) return <NotFound />;
  return <DomainTab key={id} id={String(id)} open={open} />;
}

function DomainTab({ id, open }: { readonly id: string; readonly open: Tab | undefined }) {
  const domain = useDomain(id);
  const Content = open?.Content ?? DomainOverview;
  return (
    <Page
      title={domain.data?.unicode ?? 'Domain'}
      {...(open && domain.data && { shortTitle: `${open.name}, ${domain.data.unicode}` })}
      above={
        <a href="/dashboard">
          <Icon name="back" />
          Domains
        </a>
      }
      beside={domain.data && <HeadState domain={domain.data} />}
      actions={domain.data && <Actions domain={domain.data} />}
    >
      <DomainTabs id={id} open={open} />
      <WhenLoaded query={domain}>{(found) => <Content domain={found} />}</WhenLoaded>
    </Page>
  );
}

function HeadState({ domain }: { readonly domain: DomainDetails }) {
  const { steps } = useChecklist(domain);
  const { tone, word } = headState(domain, steps);
  useMoving(tone === 'busy');
  return (
    <>
      <Chip tone={tone}>{word}</Chip>
      {domain.unicode !== domain.hostname && <span class="quiet small">{domain.hostname}</span>}
    </>
  );
}

function Actions({ domain }: { readonly domain: DomainDetails }) {
  const { rows } = useSitemaps(domain.id);
  return (
    <>
      {isServed(domain) && rows.length > 0 && (
        <a class="button" href={submitAddress(domain, rows)} target="_blank" rel="noreferrer">
          Open sitemap <Icon name="outside" />
        </a>
      )}
      <a class="button" href={uploadPage(domain.id)}>
        <Icon name="plus" /> Upload URLs
      </a>
    </>
  );
}

function DomainTabs({ id, open }: { readonly id: string; readonly open: Tab | undefined }) {
  const counts = { sitemaps: countOf(useSitemaps(id)), uploads: countOf(useUploads(id)) };
  const overview = { href: domainPage(id), name: 'Overview', isOpen: open === undefined };
  return (
    <Tabs
      label="Domain"
      tabs={[
        overview,
        ...TABS.map(({ tab, name }) => ({
          href: domainPage(id, tab),
          name,
          isOpen: tab === open?.tab,
          count: tab in counts ? counts[tab as keyof typeof counts] : undefined,
        })),
      ]}
    />
  );
}

/** Writes the number of rows that were read, with a plus sign if there are more. Undefined if the list is empty. */
function countOf({ list, rows }: ReturnType<typeof useSitemaps> | ReturnType<typeof useUploads>) {
  if (rows.length === 0) return undefined;
  return `${count(rows.length)}${list.hasNextPage ? '+' : ''}`;
}

/** The crawlers tab of a domain: requests by day, the last visits to files, and errors. */
function DomainCrawlers({ domain: { id } }: { readonly domain: DomainDetails }) {
  return (
    <>
      <CrawlChart domain={id} />
      <LastVisits domainId={id} />
      <CrawlErrors domainId={id} />
    </>
  );
}

/** The uploads tab of a domain: running uploads, open upload sessions, and the history. */
function DomainUploads({ domain: { id } }: { readonly domain: DomainDetails }) {
  return (
    <>
      <RunningUploads domainId={id} />
      <OpenSessions domainId={id} />
      <UploadHistory domainId={id} />
    </>
  );
}
