/** The operation that looks at hostnames before they are registered (docs/decisions/0065). */
import { z } from 'zod';
import { requiredQueryText } from '../../core/web/query-text.ts';
import { HOSTNAME_STATES, MAX_HOSTNAMES } from '../../features/domains/check-hostnames.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import { invalidField } from '../../platform/refusal.ts';
import { operation, tagged } from './operation.ts';
import { answeredList, described, text } from './shapes.ts';

export interface HostnameNeeds {
  readonly domains: Pick<Domains, 'checkHostnames'>;
}

const checkedHostname = z
  .object({
    given: described(text, 'As the request has it.'),
    hostname: described(text.nullable(), 'In lower case and A-labels; null if it is `invalid`.'),
    unicode: described(text.nullable(), 'The hostname as people write it.'),
    state: described(
      z.enum(HOSTNAME_STATES),
      '`website`: it seems to have a website, which changed records would take away. `taken`: another account has verified it.',
    ),
    message: described(text.nullable(), 'For people.'),
    suggestion: described(text.nullable(), 'With `website`: a name of its own for sitemaps.'),
    addresses: described(z.array(text).max(4), 'Where a website seems to be.'),
  })
  .meta({ id: 'CheckedHostname' });

export const hostnameOperations = tagged('Domains', [
  operation('get', '/api/domains/check', {
    id: 'checkHostnames',
    access: { actions: ['domains'], to: 'account' },
    summary: 'Looks at hostnames before you register them',
    description: 'It registers nothing. It asks DNS for their addresses, and takes up to 2 seconds.',
    query: {
      hostname: described(text, `One, or up to ${MAX_HOSTNAMES} with commas between them.`),
    },
    requiredQuery: { hostname: 'sitemaps.example.com' },
    answer: answeredList(
      'What speaks against the hostnames, in the order of the request.',
      z.array(checkedHostname).max(MAX_HOSTNAMES),
      {
        given: 'www.example.com',
        hostname: 'www.example.com',
        unicode: 'www.example.com',
        state: 'website',
        message:
          "This looks like your website: www.example.com is live at 198.51.100.7. Don't change its DNS. Use a name of its own for sitemaps, such as sitemaps.example.com.",
        suggestion: 'sitemaps.example.com',
        addresses: ['198.51.100.7'],
      },
    ),
    async run({ domains }: HostnameNeeds, { caller, request: { query } }) {
      return domains.checkHostnames(caller.accountId, parseHostnames(requiredQueryText(query, 'hostname')));
    },
  }),
]);

function parseHostnames(given: string): readonly string[] {
  const hostnames = given.split(',').map((one) => one.trim());
  if (hostnames.length > MAX_HOSTNAMES)
    throw invalidField('hostname', given, `must have at most ${MAX_HOSTNAMES} names`);
  return hostnames;
}
