/** The way to the first upload. */
import { uploadPage } from './upload-page.ts';

export function UploadFirst({ domainId }: { readonly domainId: string }) {
  return (
    <div class="buttons">
      <a class="button primary" href={uploadPage(domainId)}>
        Upload URLs
      </a>
      <a class="button" href="/dashboard/quick-start">
        Upload from your systems
      </a>
    </div>
  );
}
