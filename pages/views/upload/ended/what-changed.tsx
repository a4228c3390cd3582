/** The numbers of changes of an upload, once the service has compared the upload with the version before. */
import { count } from '../../../parts/format.ts';
import { changesPage, type SitemapId, useLastChanges } from '../../sitemap/sitemap-queries.ts';

export interface WhatChangedProps extends SitemapId {
  readonly uploadId: string;
}

export function WhatChanged({ domainId, name, uploadId }: WhatChangedProps) {
  const { data } = useLastChanges(
    { domainId, name },
    (found) => found?.state === 'pending' || found?.uploadId !== uploadId,
  );
  // The answer may still be about the version before.
  if (data === undefined || data.uploadId !== uploadId || data.state === 'pending') {
    return <p class="quiet">Comparing with the version before …</p>;
  }
  if (data.state === 'first') return <p>This is the first upload of this sitemap: all URLs are new.</p>;
  if (data.state !== 'compared') return null;
  const { added, changed, removed } = data;
  return (
    <p>
      <a href={changesPage({ domainId, name }, {})}>
        +{count(added ?? 0)} added, {count(changed ?? 0)} changed, −{count(removed ?? 0)} removed
      </a>
    </p>
  );
}
