/** The actions for the first upload: import a sitemap, upload a file, or upload from a program. */
import { ImportFirst, type ImportFirstProps } from './import-first.tsx';
import { uploadPage } from './upload-page.ts';

export function UploadFirst({ domain, kept }: Pick<ImportFirstProps, 'domain' | 'kept'>) {
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
