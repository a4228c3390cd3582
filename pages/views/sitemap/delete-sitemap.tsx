/** The button that deletes a sitemap. The person must type its name first. Other sitemaps of the domain stay. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { domainPage, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { counted } from '../../parts/format.ts';
import { type SitemapId, sitemapKey, sitemapPath } from './sitemap-queries.ts';

export interface DeleteSitemapProps {
  readonly sitemap: SitemapId;
  readonly urlCount: number;
}

export function DeleteSitemap({ sitemap, urlCount }: DeleteSitemapProps) {
  const { domainId, name } = sitemap;
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const renew = useRenewDomain(domainId);
  const { route } = useLocation();
  const remove = async () => {
    await ask('DELETE', sitemapPath(sitemap));
    announce(`The sitemap ${name} is deleted.`);
    route(domainPage(domainId));
    client.removeQueries({ queryKey: sitemapKey(sitemap) });
    await renew();
  };
  return (
    <Card title="Delete this sitemap" tone="danger">
      <p>Its files and all versions go for good. The other sitemaps of the domain stay.</p>
      <div class="buttons">
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          Delete sitemap
        </button>
      </div>
      {isOpen && (
        <Confirm
          title={`Delete the sitemap ${name}?`}
          verb="Delete for good"
          kind="danger"
          typed={{ text: name, what: 'the name of the sitemap' }}
          work={remove}
          onClose={() => setOpen(false)}
        >
          <p>{counted(urlCount, 'URL')} will no longer be served. This cannot be undone.</p>
        </Confirm>
      )}
    </Card>
  );
}
