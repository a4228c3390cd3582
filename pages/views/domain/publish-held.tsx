/** Publishes an upload that the guard holds back. The person first sees which URLs the sitemap would lose. */
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Generation } from '../../../client/src/answers.ts';
import { domainKey, domainPath, useRenewDomain } from '../../api/domain.ts';
import { uploadQuery } from '../../api/queries.ts';
import { ask, getPage } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { count, counted, share } from '../../parts/format.ts';
import { WhenLoaded } from '../../parts/states.tsx';
import { HeldChanges } from '../upload/held-changes.tsx';

export interface HeldProps {
  readonly domainId: string;
  /** The id of the upload. */
  readonly id: string;
  readonly sitemapName: string;
}

export function ReviewHeld(props: HeldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Review
      </button>
      {isOpen && <Question {...props} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Question({
  domainId,
  id,
  sitemapName: name,
  onClose,
}: HeldProps & { readonly onClose: () => void }) {
  const renew = useRenewDomain(domainId);
  const held = useQuery(uploadQuery(id));
  const generations = useQuery({
    queryKey: domainKey(domainId, 'sitemaps', name, 'generations', 'live'),
    queryFn: () => getPage<Generation>(`${domainPath(domainId, 'sitemaps', name, 'generations')}?limit=1`),
  });
  const live = generations.data?.rows[0];
  const publish = async () => {
    // The generation with which this page compared must still be live.
    const ifGeneration = live?.generation;
    await ask('POST', `uploads/${encodeURIComponent(id)}/publish`, { force: true, ifGeneration }).finally(
      renew,
    );
    announce('The upload is published.');
  };
  return (
    <Confirm
      title={`Publish this upload of “${name}”?`}
      verb="Publish anyway"
      kind="danger"
      // The record of an upload may go before the upload is decided on.
      isReady={live !== undefined && !held.isPending}
      work={publish}
      onClose={onClose}
    >
      <WhenLoaded query={generations}>
        {() => live && held.data && <Loss former={live.urlCount} next={held.data.urlCount} />}
      </WhenLoaded>
      {live && <HeldChanges uploadId={id} generation={live.generation} />}
    </Confirm>
  );
}

function Loss({ former, next }: { readonly former: number; readonly next: number }) {
  const removed = former - next;
  const sizes = `The sitemap has ${counted(former, 'URL')} now, and would have ${count(next)}.`;
  if (removed <= 0) return <p>{sizes} No URL would be fewer.</p>;
  return (
    <p>
      <strong>
        {counted(removed, 'URL')} fewer, {share(removed, former)} of the sitemap.
      </strong>{' '}
      {sizes} You can roll back afterwards.
    </p>
  );
}
