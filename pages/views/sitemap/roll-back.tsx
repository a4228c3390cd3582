/** Asks before a rollback to a former generation. */
import type { Generation } from '../../../client/src/answers.ts';
import { useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { counted, dayAndTime } from '../../parts/format.ts';
import { type SitemapId, sitemapPath } from './sitemap-queries.ts';

export interface RollBackProps {
  readonly sitemap: SitemapId;
  readonly chosen: Generation;
  readonly live: Generation;
  readonly onClose: () => void;
}

export function RollBack({ sitemap, chosen, live, onClose }: RollBackProps) {
  const renew = useRenewDomain(sitemap.domainId);
  const { generation } = chosen;
  const rollBack = async () => {
    // If another generation was published since, the service refuses, because the person was asked about the former live generation.
    const terms = { generation, ifGeneration: live.generation };
    await ask('POST', sitemapPath(sitemap, 'rollback'), terms).finally(renew);
    announce(`Version ${generation} is live again.`);
  };
  return (
    <Confirm title={`Roll back to version ${generation}?`} verb="Roll back" work={rollBack} onClose={onClose}>
      <p>
        It has {counted(chosen.urlCount, 'URL')} in {counted(chosen.filesGenerated, 'file')}, and was
        published on {dayAndTime(chosen.publishedAt)}.
      </p>
      <p>
        Live now is version {live.generation} with {counted(live.urlCount, 'URL')}. It is kept, so you can go
        forward again.
      </p>
    </Confirm>
  );
}
