/** An upload that is published or has changed nothing, or a dry run that could be published. */
import type { ComponentChildren } from 'preact';
import type { Upload } from '../../../../client/src/answers.ts';
import { domainPage } from '../../../api/domain.ts';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { Copyable } from '../../../parts/copy.tsx';
import { count, counted } from '../../../parts/format.ts';
import type { Asked } from '../current-upload.ts';

export interface PublishedProps {
  readonly asked: Asked;
  readonly upload: Upload;
  /** What to do next. */
  readonly children: ComponentChildren;
}

export function Published({ asked, upload, children }: PublishedProps) {
  const { dryRun = false, warnings = [] } = upload;
  return (
    <Card
      title={titleOf(upload)}
      aside={
        dryRun || upload.unchanged ? (
          <Chip tone="neutral">Nothing published</Chip>
        ) : (
          <Chip tone="good">Published</Chip>
        )
      }
    >
      {dryRun && <p>This was a check.</p>}
      <Outcome upload={upload} />
      {!upload.served && !dryRun && <NotServed asked={asked} upload={upload} />}
      <Facts upload={upload} />
      {warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <div class="buttons">
        {!dryRun && <SitemapLink asked={asked} upload={upload} />}
        {children}
      </div>
    </Card>
  );
}

function titleOf({ dryRun, unchanged, urlCount }: Upload): string {
  if (dryRun) return 'The file is right';
  return unchanged ? 'Nothing has changed' : `${counted(urlCount, 'URL')} published`;
}

function Outcome({ upload: { dryRun, unchanged, urlCount } }: { readonly upload: Upload }) {
  if (unchanged)
    return (
      <p>The sitemap has these {counted(urlCount, 'URL')} already. So its files and their times stay.</p>
    );
  return dryRun ? <p>An upload would publish {counted(urlCount, 'URL')}.</p> : null;
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

function Rejected({ upload: { rejected = 0, rejectsUrl, uploadId } }: { readonly upload: Upload }) {
  return (
    <>
      <dt>Left out</dt>
      <dd>
        {counted(rejected, 'invalid entry', 'invalid entries')}
        {rejectsUrl && (
          <>
            {' · '}
            <a href={`/dashboard${rejectsUrl}`} download={`rejected-${uploadId}.ndjson`}>
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
      <p>
        Crawlers cannot fetch it yet, because the DNS of {upload.domain} is not verified. It will be served as
        soon as it is.
      </p>
      {domain && <a href={domainPage(domain.id)}>Finish the domain</a>}
    </div>
  );
}

function SitemapLink({ asked, upload }: Pick<PublishedProps, 'asked' | 'upload'>) {
  const { domain } = asked.settings;
  if (domain === undefined) return null;
  return (
    <a class="button primary" href={domainPage(domain.id, 'sitemaps', upload.sitemapName ?? 'default')}>
      See the sitemap
    </a>
  );
}
