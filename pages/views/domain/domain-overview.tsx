/**
 * The overview tab of a domain: held and running uploads, its DNS and its steps, its sitemaps, its address for search engines, and its main
 * facts.
 */

import { useRef } from 'preact/hooks';
import type { DomainDetails } from '../../../client/src/answers.ts';
import { Card } from '../../parts/card.tsx';
import { isServed } from '../../parts/domain-state.ts';
import type { KeptField } from '../../parts/today-field.tsx';
import { RunningUploads } from '../overview/running-uploads.tsx';
import { doneCount, stepsOf, summaryOf } from './checklist.ts';
import { DnsCard } from './dns-card.tsx';
import { DomainFacts } from './domain-facts.tsx';
import { HeldBanner } from './held-banner.tsx';
import { ImportFirst, type ImportFirstProps } from './import-first.tsx';
import { OpenRobots } from './open-robots.tsx';
import { SearchEngines } from './search-engines.tsx';
import { SitemapCard } from './sitemap-card.tsx';
import { type ShownStep, StepList } from './step-list.tsx';
import { uploadPage } from './upload-page.ts';
import { useChecklist } from './use-checklist.ts';

const STEPS = 5;

export function DomainOverview({ domain }: { readonly domain: DomainDetails }) {
  const { steps, hosts, visits } = useChecklist(domain);
  const isLive = isServed(domain);
  const isDnsOpen = !isLive || steps.dns.state === 'wrong';
  const hasSitemaps = domain.lastUpdated !== null;
  // The field for the first sitemap moves when the DNS becomes right, perhaps while a person types.
  const kept = useRef<KeptField>({ text: '', hasFocus: false }).current;
  const more: Partial<Record<string, ShownStep['more']>> = {
    ...(steps.robots.state === 'wrong' &&
      hosts && { [steps.robots.name]: <OpenRobots domain={domain} hosts={hosts} /> }),
    ...(isLive && !hasSitemaps && { [steps.upload.name]: <UploadFirst domain={domain} kept={kept} /> }),
  };
  const shown = stepsOf(steps).map((step) => ({ ...step, more: more[step.name] }));
  return (
    <>
      {domain.message && domain.message !== domain.dns.problem && (
        <p class="notice notice-bad">{domain.message}</p>
      )}
      <HeldBanner domainId={domain.id} />
      <RunningUploads domainId={domain.id} />
      {isDnsOpen && <DnsCard domain={domain} />}
      {isLive ? (
        <div class="split">
          <div class="stack">
            <Steps
              title={`${doneCount(steps)} of ${STEPS} steps done`}
              lead={summaryOf(domain, steps)}
              steps={shown}
            />
            {hasSitemaps && <SitemapCard domain={domain} visits={visits} />}
          </div>
          <div class="stack">
            {hasSitemaps && <SearchEngines domain={domain} isNext={steps.crawl.state === 'now'} />}
            <DomainFacts domain={domain} />
          </div>
        </div>
      ) : (
        <>
          <Card title="After that">
            {/* These steps have no actions here. Their actions are shown once the DNS is right. */}
            <StepList isAcross steps={stepsOf(steps).slice(1)} />
          </Card>
          {hasSitemaps ? (
            <SitemapCard domain={domain} visits={visits} />
          ) : (
            <Card title="Meanwhile" lead="It goes live once the DNS is right.">
              <ImportFirst domain={domain} kept={kept} />
            </Card>
          )}
        </>
      )}
    </>
  );
}

/** Shows the steps. When all are done, they are folded into one line. */
function Steps({
  title,
  lead,
  steps,
}: {
  readonly title: string;
  readonly lead: string;
  readonly steps: readonly ShownStep[];
}) {
  if (steps.some(({ state }) => state !== 'done')) {
    return (
      <Card title={title} lead={lead}>
        <StepList steps={steps} />
      </Card>
    );
  }
  return (
    <section class="card" aria-label="Steps">
      <details class="folded">
        <summary>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="10" cy="10" r="9.5" class="step-done" />
            <path d="m6 10.3 2.7 2.7L14 7.3" class="step-tick" />
          </svg>
          All 5 steps done. Crawlers read your sitemaps.
        </summary>
        <StepList steps={steps} />
      </details>
    </section>
  );
}

/** The actions for the first upload: import a sitemap, upload a file, or upload from a program. */
function UploadFirst({ domain, kept }: Pick<ImportFirstProps, 'domain' | 'kept'>) {
  return (
    <>
      <ImportFirst isNext domain={domain} kept={kept} />
      <div class="buttons">
        <a class="button" href={uploadPage(domain.id)}>
          Upload URLs
        </a>
        <a class="button" href="/dashboard/quick-start">
          Upload from your systems
        </a>
      </div>
    </>
  );
}
