/** Uploads under way, as the server sees them. */
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { Live, RunningUpload } from '../../../wire.ts';
import { get } from '../../api/request.ts';
import { bytes, count, counted, share } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

export interface RunningUploadsProps {
  /** Default: of all. */
  readonly domainId?: string;
  readonly sitemapName?: string;
}

export function RunningUploads({ domainId, sitemapName }: RunningUploadsProps) {
  const { data } = useQuery({ queryKey: ['live'], queryFn: () => get<Live>('live') });
  const shown = data?.running.filter(
    (upload) =>
      (domainId === undefined || upload.domainId === domainId) &&
      (sitemapName === undefined || upload.sitemapName === sitemapName),
  );
  return (
    <>
      {shown?.map((upload) => (
        <Running key={upload.id} upload={upload} />
      ))}
    </>
  );
}

export interface RunningProps {
  readonly upload: RunningUpload;
  /** What can be done about it. */
  readonly children?: ComponentChildren;
}

export function Running({ upload, children }: RunningProps) {
  const { hostname, sitemapName, bytesReceived, bytesTotal, urlCount, fileCount, rejected, startedAt } =
    upload;
  const where = sitemapName === null ? hostname : `${hostname}, sitemap ${sitemapName}`;
  return (
    <section class="card" aria-label={`Upload to ${where}`}>
      <div class="card-head">
        <h2>Uploading to {where}</h2>
        {bytesTotal !== null && <span>{share(bytesReceived, bytesTotal)}</span>}
      </div>
      {/* Without a value it only says that something is under way. */}
      <progress
        aria-label={`Upload to ${where}`}
        max={bytesTotal ?? 1}
        {...(bytesTotal !== null && { value: bytesReceived })}
      />
      <p class="spread quiet">
        <span>
          {bytes(bytesReceived)}
          {bytesTotal !== null && ` of ${bytes(bytesTotal)}`}
        </span>
        <span>{counted(urlCount, 'URL')} valid</span>
        {rejected > 0 && <span>{count(rejected)} rejected</span>}
        <span>{counted(fileCount, 'file')} stored</span>
        <span>
          began <Time at={startedAt} />
        </span>
      </p>
      {children}
    </section>
  );
}
