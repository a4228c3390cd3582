/** The button that deletes a domain. The person must type the hostname first. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { DomainDetails } from '../../../client/src/answers.ts';
import { domainKey, domainPath, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { counted } from '../../parts/format.ts';

export function DeleteDomain({ domain }: { readonly domain: DomainDetails }) {
  const { id, hostname, urlCount = 0 } = domain;
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const renew = useRenewDomain(id);
  const { route } = useLocation();
  const remove = async () => {
    await ask('DELETE', domainPath(id));
    announce(`${hostname} is deleted.`);
    route('/dashboard');
    client.removeQueries({ queryKey: domainKey(id) });
    await renew();
  };
  return (
    <Card title="Delete this domain" tone="danger">
      <p>
        All its sitemaps go with it, for good{urlCount > 0 && `: ${counted(urlCount, 'URL')}`}. Crawlers get
        an error in their place, within seconds.
      </p>
      <div class="buttons">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Delete domain
        </button>
      </div>
      {isOpen && (
        <Confirm
          title="Delete this domain and its sitemaps?"
          verb="Delete for good"
          kind="danger"
          typed={{ text: hostname, what: 'the hostname' }}
          work={remove}
          onClose={() => setOpen(false)}
        >
          <p>
            {urlCount > 0 && `${counted(urlCount, 'URL')} will no longer be served. `}This cannot be undone.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
