/** An upload that the guard holds until somebody has looked at it. */
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { useRows } from '../../api/rows.ts';
import { fromNow } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { DiscardHeld } from './discard-held.tsx';
import { heldUntil, isStillHeld } from './outcome.ts';
import { PublishHeld } from './publish-held.tsx';

export function HeldBanner({ domainId }: { readonly domainId: string }) {
  const { rows } = useRows<UploadAttempt>(
    domainKey(domainId, 'uploads'),
    `${domainPath(domainId, 'uploads')}?limit=20`,
  );
  const held = rows.filter((attempt) => isStillHeld(attempt, Date.now()));
  return (
    <>
      {held.map((attempt) => (
        <div key={attempt.id} class="notice">
          <Icon name="held" />
          <p>
            <strong>An upload to “{attempt.sitemapName ?? 'default'}” is held.</strong>
            It would remove more URLs than the guard allows. Crawlers still get the version before. It is
            discarded {fromNow(heldUntil(attempt))}.
          </p>
          <PublishHeld domainId={domainId} attempt={attempt} verb="Review" />
          <DiscardHeld domainId={domainId} attempt={attempt} />
        </div>
      ))}
    </>
  );
}
