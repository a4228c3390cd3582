/** The page of an upload that was published or has changed nothing, or of a dry run that could be published. */
import type { ComponentChildren } from 'preact';
import type { Upload } from '../../../../client/src/answers.ts';
import { domainPage, useSitemap } from '../../../api/domain.ts';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { Copyable } from '../../../parts/copy.tsx';
import { count, counted } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Page } from '../../../parts/page.tsx';
import { searchConsole } from '../../../parts/search-console.ts';
import type { Asked } from '../current-upload.ts';
import { RobotsLines } from './robots-lines.tsx';
import { WhatChanged } from './what-changed.tsx';

export interface PublishedProps {
  readonly asked: Asked;
  readonly upload: Upload;
  /** The buttons for the next steps. */
  readonly children: ComponentChildren;
}

/** Warnings that the form showed before the upload. */
const SHOWN_BEFORE =
  /^[\d,]+ columns? (?:is|are) ignored|^(?:Pages of every status|Files of every type) are taken/;

export function Published({ asked, upload, children }: PublishedProps) {
  const { dryRun = false, unchanged, sitemapName } = upload;
  const warnings = (upload.warnings ?? []).filter((warning) => !SHOWN_BEFORE.test(warning));
  const { domain } = asked.settings;
  const isNew = !dryRun && !unchanged;
  return (
    <Page
      title={titleOf(upload)}
      shortTitle={dryRun ? 'Checked' : 'Published'}
      beside={!isNew && <Chip tone="neutral">Nothing published</Chip>}
    >
      <p class="lead">
        {asked.file.name} for “{sitemapName ?? 'default'}” on {upload.domain}
      </p>
      <div class="split">
        <div class="stack">
          <Card title={cardTitle(upload)}>
            <Outcome upload={upload} domainId={domain?.id} />
            {domain && isNew && (
              <WhatChanged domainId={domain.id} name={sitemapName ?? 'default'} uploadId={upload.uploadId} />
            )}
            {!upload.served && !dryRun && <NotServed asked={asked} upload={upload} />}
            <Facts upload={upload} />
          </Card>
          {warnings.length > 0 && (
            <Card title="Please check">
              <div class="lines">
                {warnings.map((warning) => (
                  <p key={warning}>{sayWarning(warning)}</p>
                ))}
              </div>
            </Card>
          )}
        </div>
        <aside class="stack">
          <Card title="What next">
            <div class="lines next">
              {!dryRun && domain && (
                <a
                  class={upload.served ? 'button primary full' : 'button full'}
                  href={domainPage(domain.id, 'sitemaps', sitemapName ?? 'default')}
                >
                  See the sitemap
                </a>
              )}
              {!dryRun && upload.served && (
                <a
                  class="button full"
                  href={searchConsole(upload.sitemapUrl)}
                  target="_blank"
                  rel="noreferrer"
                >
                  Google Search Console <Icon name="outside" />
                </a>
              )}
              {children}
            </div>
          </Card>
          {domain && !dryRun && <RobotsLines domainId={domain.id} />}
        </aside>
      </div>
    </Page>
  );
}

/** Returns a warning of the service without the names of parameters. */
const sayWarning = (warning: string) =>
  warning
    .replace(
      /^([\d,]+) records? (?:is|are) left out by where\.$/,
      (_, records: string) => `${records} ${records === '1' ? 'row' : 'rows'} left out, as you chose.`,
    )
    .replace(/ If that is one character, add escape=backslash\.$/, ' Look whether that is meant.');

function cardTitle({ dryRun, served }: Upload): string {
  if (dryRun) return 'What an upload would do';
  return served ? 'What crawlers get now' : 'What crawlers will get';
}

function titleOf({ dryRun, unchanged, urlCount }: Upload): string {
  if (dryRun) return `All ${counted(urlCount, 'URL')} are valid`;
  return unchanged ? 'Nothing has changed' : `${counted(urlCount, 'URL')} published`;
}

interface OutcomeProps {
  readonly upload: Upload;
  readonly domainId: string | undefined;
}

function Outcome({ upload: { dryRun, unchanged, urlCount, sitemapName }, domainId }: OutcomeProps) {
  const former = useSitemap(dryRun ? domainId : undefined, sitemapName ?? 'default');
  if (unchanged) {
    return <p>The sitemap has these {counted(urlCount, 'URL')} already. Its files and their times stay.</p>;
  }
  if (!dryRun) return null;
  return (
    <>
      <p>It would publish {counted(urlCount, 'URL')}. Nothing is published yet.</p>
      {former && former.urlCount > urlCount && (
        <p>
          <strong>At least {counted(former.urlCount - urlCount, 'URL')} would go</strong>: the sitemap has{' '}
          {count(former.urlCount)} now.
        </p>
      )}
    </>
  );
}

function Facts({ upload }: { readonly upload: Upload }) {
  const { urlCount, filesGenerated, sitemapUrl, indexUrl, served, dryRun } = upload;
  return (
    <dl class="facts">
      <dt>Address</dt>
      <dd>
        <Copyable text={sitemapUrl} label="the address of the sitemap" />{' '}
        {served && !dryRun && (
          <a href={sitemapUrl} target="_blank" rel="noreferrer">
            Open
          </a>
        )}
      </dd>
      {indexUrl && (
        <>
          <dt>Index of all sitemaps</dt>
          <dd>
            <Copyable text={indexUrl} label="the address of the index" />
          </dd>
        </>
      )}
      <dt>URLs</dt>
      <dd>{count(urlCount)}</dd>
      <dt>Files</dt>
      <dd>
        {count(filesGenerated)}, of which {count(upload.filesChanged)} {dryRun ? 'would change' : 'changed'}
      </dd>
      {upload.rejected !== undefined && <Rejected upload={upload} />}
    </dl>
  );
}

function Rejected({ upload: { rejected = 0, rejectsUrl, domain } }: { readonly upload: Upload }) {
  return (
    <>
      <dt>Left out</dt>
      <dd>
        {counted(rejected, 'row')} with mistakes
        {rejectsUrl && (
          <>
            {' · '}
            <a href={`/dashboard${rejectsUrl}`} download={`${domain}-left-out.ndjson`}>
              Download the list
            </a>
          </>
        )}
      </dd>
    </>
  );
}

function NotServed({ asked, upload }: Pick<PublishedProps, 'asked' | 'upload'>) {
  const { domain } = asked.settings;
  return (
    <div class="notice">
      <p>Crawlers can't fetch it yet: the DNS of {upload.domain} isn't verified.</p>
      {domain && (
        <a class="button primary" href={domainPage(domain.id)}>
          Finish the domain
        </a>
      )}
    </div>
  );
}
