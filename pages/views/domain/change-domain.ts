/** Changes settings of a domain, and then shows the settings that the service has. */
import { useQueryClient } from '@tanstack/preact-query';
import type { DomainDetails } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';

interface Changes {
  readonly indexNow?: { readonly enabled: boolean };
  readonly guard?: DomainDetails['guard'];
  readonly website?: boolean;
  readonly recent?: Partial<Pick<DomainDetails['recent'], 'enabled' | 'hours'>>;
}

export function useChangeDomain(id: string): (changes: Changes) => Promise<void> {
  const client = useQueryClient();
  return async (changes) => {
    const domain = await ask<DomainDetails>('PATCH', domainPath(id), changes);
    client.setQueryData(domainKey(id), domain);
    await client.invalidateQueries({ queryKey: domainKey(id) });
  };
}
