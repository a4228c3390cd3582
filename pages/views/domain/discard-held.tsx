/** The button that discards a held upload. It asks first. */
import { useState } from 'preact/hooks';
import { useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { HeldProps } from './publish-held.tsx';

export function DiscardHeld({ domainId, id }: Pick<HeldProps, 'domainId' | 'id'>) {
  const [isOpen, setOpen] = useState(false);
  const renew = useRenewDomain(domainId);
  const discard = async () => {
    await ask('POST', `uploads/${encodeURIComponent(id)}/discard`).finally(renew);
    announce('The upload is discarded.');
  };
  return (
    <div>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Discard
      </button>
      {isOpen && (
        <Confirm
          title="Discard this upload?"
          verb="Discard"
          kind="danger"
          work={discard}
          onClose={() => setOpen(false)}
        >
          <p>Crawlers keep the version that is live. To publish the list later, upload it again.</p>
        </Confirm>
      )}
    </div>
  );
}
