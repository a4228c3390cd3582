/** A banner for each upload that the guard holds, with buttons to review and discard it. The title and the detail come from the service. */
import { Icon } from '../../parts/icon.tsx';
import { needTime } from '../../parts/needs/need-time.ts';
import { useNeeds } from '../../parts/needs/needs-list.tsx';
import { DiscardHeld } from './discard-held.tsx';
import { ReviewHeld } from './publish-held.tsx';

/** The hostname at the beginning of the detail. The page already shows it. */
const OF_DOMAIN = /^\S+ · /;

export function HeldBanner({ domainId }: { readonly domainId: string }) {
  const { data } = useNeeds(domainId);
  return (
    <>
      {data?.needs.map((need) => {
        if (need.kind !== 'heldUpload' || need.uploadId === null) return null;
        const held = { domainId, id: need.uploadId, sitemapName: need.sitemapName ?? 'default' };
        return (
          <div key={held.id} class="notice">
            <Icon name="held" />
            <p>
              <strong>{need.title}.</strong>
              {need.detail.replace(OF_DOMAIN, '')}. {needTime(need)}. Until then, crawlers get what they have
              now.
            </p>
            <ReviewHeld {...held} />
            <DiscardHeld {...held} />
          </div>
        );
      })}
    </>
  );
}
