/** Uploads and deltas under way, as the service sees them. */
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { RunningUpload } from '../../../src/edges/dashboard/wire.ts';
import { useMoving } from '../../api/live.ts';
import { liveQuery } from '../../api/queries.ts';
import { bytes, count, counted, share } from '../../parts/format.ts';
import { isDelta } from '../../parts/is-delta.ts';
import { Time } from '../../parts/time.tsx';

export interface RunningUploadsProps {
  /** The id of a domain. Absent: the uploads of the whole account. */
  readonly domainId?: string;
  readonly sitemapName?: string;
}

export function RunningUploads({ domainId, sitemapName }: RunningUploadsProps) {
  const { data } = useQuery(liveQuery);
  const shown = data?.running.filter(
    (upload) =>
      (domainId === undefined || upload.domainId === domainId) &&
      (sitemapName === undefined || upload.sitemapName === sitemapName),
  );
  // A person watches the progress, so the page reads often.
  useMoving((shown?.length ?? 0) > 0);
  return (
    <>
      {shown?.map((upload) => (
        <UploadCard key={upload.id} {...cardOf(upload)} />
      ))}
    </>
  );
}

export interface UploadCardProps {
  /** The name of the card, as in "Upload to www.example.com". */
  readonly label: string;
  readonly title: string;
  readonly aside: string | undefined;
  /** The progress in numbers. Undefined: it is not known. */
  readonly progress: { readonly value: number; readonly max: number } | undefined;
  readonly facts: ComponentChildren;
  /** The actions for the upload. */
  readonly children?: ComponentChildren;
}

/** Shows an upload. The card stays the same when the service begins to report the upload, so that `children` keep the focus. */
export function UploadCard({ label, title, aside, progress, facts, children }: UploadCardProps) {
  return (
    <section class="card" aria-label={label}>
      <div class="card-head">
        <h2>{title}</h2>
        {aside && <span>{aside}</span>}
      </div>
      {/* A `progress` element that once had a value keeps showing it, so an unknown progress needs another element. */}
      <progress key={progress ? 'known' : 'unknown'} aria-label={label} {...progress} />
      <p class="spread quiet">{facts}</p>
      {children}
    </section>
  );
}

export function cardOf(upload: RunningUpload): UploadCardProps {
  const { id, hostname, sitemapName, bytesReceived, bytesTotal } = upload;
  const { urlCount, fileCount, rejected, startedAt } = upload;
  const where = sitemapName === null ? hostname : `${hostname}, sitemap ${sitemapName}`;
  return {
    label: `${isDelta(id) ? 'Delta' : 'Upload'} to ${where}`,
    title: isDelta(id) ? `Changing ${where}` : `Uploading to ${where}`,
    aside: bytesTotal === null ? undefined : share(bytesReceived, bytesTotal),
    progress: bytesTotal === null ? undefined : { max: bytesTotal, value: bytesReceived },
    facts: (
      <>
        <span>
          {bytes(bytesReceived)}
          {bytesTotal !== null && ` of ${bytes(bytesTotal)}`}
        </span>
        <span>{counted(urlCount, 'URL')} valid</span>
        {rejected > 0 && <span>{count(rejected)} rejected</span>}
        {!isDelta(id) && <span>{counted(fileCount, 'file')} stored</span>}
        <span>
          began <Time at={startedAt} />
        </span>
      </>
    ),
  };
}
