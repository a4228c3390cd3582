/** What an upload changed, once it is compared with the one before. */
import { useQuery } from '@tanstack/preact-query';
import type { SitemapChanges } from '../../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../../api/domain.ts';
import { get } from '../../../api/request.ts';
import { count } from '../../../parts/format.ts';
import { changesPage } from '../../sitemap/sitemap-queries.ts';

export interface WhatChangedProps {
  readonly domainId: string;
  readonly name: string;
  readonly uploadId: string;
}

/** While it is compared. */
const ASK_AGAIN_MS = 3000;

export function WhatChanged({ domainId, name, uploadId }: WhatChangedProps) {
  const { data } = useQuery({
    queryKey: domainKey(domainId, 'sitemaps', name, 'changes'),
    queryFn: () => get<SitemapChanges>(domainPath(domainId, 'sitemaps', name, 'changes')),
    refetchInterval: ({ state }) =>
      state.data?.state === 'pending' || state.data?.uploadId !== uploadId ? ASK_AGAIN_MS : false,
  });
  // That of the generation before is none of ours.
  if (data === undefined || data.uploadId !== uploadId || data.state === 'pending') {
    return <p class="quiet">Comparing it with the upload before …</p>;
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
