/**
 * The notice for a hostname that leads to another server. The page asks for no change of its records until a person says that no website
 * uses it.
 */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { domainPath, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { WebsiteWarning } from '../../parts/website-warning.tsx';
import { useChangeDomain } from './change-domain.ts';
import { removalDay } from './checklist.ts';

export function WebsiteNotice({ domain }: { readonly domain: DomainDetails }) {
  const change = useChangeDomain(domain.id);
  const renew = useRenewDomain(domain.id);
  const { suggestion, found } = domain.dns;
  const address = found.find(({ type }) => type === 'A' || type === 'AAAA')?.value;
  const day = removalDay(domain);
  const useAnyway = async () => {
    await change({ website: false });
    await ask('POST', domainPath(domain.id, 'verify'));
    await renew();
  };
  return (
    <Card
      title="Is this your website?"
      foot={
        day && (
          <span>
            If you leave it, {domain.unicode} is removed from Waypost on {day}.
          </span>
        )
      }
    >
      <WebsiteWarning hostname={domain.unicode} address={address}>
        {suggestion && (
          <a
            class="button primary"
            href={`/dashboard/domains/new?hostname=${encodeURIComponent(suggestion)}`}
          >
            Use {suggestion}
          </a>
        )}
      </WebsiteWarning>
      <div class="buttons">
        <Action work={useAnyway}>It isn't a website. Use it anyway</Action>
      </div>
    </Card>
  );
}
