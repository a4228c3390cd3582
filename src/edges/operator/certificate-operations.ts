/** Operations that list the certificates of all domains, and order new ones. */
import { z } from 'zod';
import type { listCertificatePage } from '../../features/certificates/certificate-list-store.ts';
import type { renewCertificate } from '../../features/certificates/renew-certificate.ts';
import type { askToReplaceLost } from '../../features/certificates/replace-lost.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import type { Verb } from '../../platform/verb.ts';
import { STATE } from '../api/domain-examples.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  id,
  jsonBody,
  PAGE_QUERY,
  text,
  time,
} from '../api/shapes.ts';
import { switchOf } from './account-operations.ts';
import { ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface CertificateNeeds {
  readonly domains: Pick<Domains, 'all'>;
  readonly renewCertificate: Verb<typeof renewCertificate>;
  readonly replaceLost: Verb<typeof askToReplaceLost>;
  readonly listCertificates: Verb<typeof listCertificatePage>;
}

const certificate = z
  .object({
    hostname: text,
    domainId: id('domain'),
    accountId: id('account'),
    status: described(text, 'Of the domain.'),
    issuer: text.nullable(),
    notAfter: described(time.nullable(), 'When it expires.'),
    renewAt: time.nullable(),
    lastError: described(text.nullable(), 'For people: why the last attempt failed.'),
    nextAttemptAt: time.nullable(),
  })
  .meta({ id: 'OperatedCertificate' });
const CERTIFICATE = {
  ...{ hostname: STATE.hostname, domainId: STATE.id, accountId: ACCOUNT.id, status: 'active', issuer: 'R11' },
  ...{ notAfter: '2026-04-15T10:04:00Z', renewAt: '2026-03-16T10:04:00Z', lastError: null },
  nextAttemptAt: '2026-03-16T10:04:00Z',
};

export const certificateOperations = tagged('Domains', [
  operatorOperation('post', '/operator/domains/{id}/certificate/renew', {
    id: 'renewCertificate',
    summary: 'Orders a new certificate now, for example after a private key has leaked',
    answer: answered(
      202,
      'The jobs order it. The list of certificates shows how it ends.',
      z.object({ hostname: text }),
      { hostname: STATE.hostname },
    ),
    errors: { NOT_FOUND: 'There is no such domain.', CONFLICT: 'The domain is not served.' },
    async run({ domains, renewCertificate: renew }: CertificateNeeds, { path }) {
      const found = await domains.all.get(path.id);
      await renew(found);
      return { hostname: found.hostname };
    },
  }),
  operatorOperation('get', '/operator/certificates', {
    id: 'listCertificates',
    summary: 'Lists certificates, those that expire first at the top',
    query: {
      ...PAGE_QUERY,
      failing: described(
        z.enum(['true', 'false']),
        'True: only domains whose last attempt to get one failed.',
      ),
    },
    answer: answeredPage('A page of certificates.', certificate, CERTIFICATE),
    async run({ listCertificates }: CertificateNeeds, { request: { query }, page }) {
      const isFailing = switchOf(query, 'failing') ?? false;
      return page({
        list: `certificates ${isFailing}`,
        read: (limit, after) => listCertificates(isFailing, limit, after),
        positionOf: ({ position }) => position,
        show: ({ position: _position, ...shown }) => withShownTimes(shown),
      });
    },
  }),
  operatorOperation('post', '/operator/certificates/replace-lost', {
    id: 'replaceLostCertificates',
    summary: 'Orders new certificates for those whose private keys are lost with a key of CERTIFICATE_KEYS',
    description:
      'If you still have the key, put it back into `CERTIFICATE_KEYS` instead. The jobs keep what they can open, and order the others at the rate of the limits of the authority.',
    body: jsonBody(
      z.strictObject({ keyId: described(z.string().min(1).max(32), 'The id of the lost key.') }),
      { keyId: 'k1' },
    ),
    answer: answered(
      202,
      'The jobs replace them.',
      z.object({ keyId: text, certificates: described(count, 'Those that the key has sealed.') }),
      { keyId: 'k1', certificates: 12 },
    ),
    errors: { NOT_FOUND: 'The key has sealed nothing.' },
    async run({ replaceLost }: CertificateNeeds, { members }) {
      const keyId = parseKeyId((await members()).get('keyId'));
      return { keyId, certificates: await replaceLost(keyId) };
    },
  }),
]);

function parseKeyId(value: unknown): string {
  if (typeof value === 'string' && value.length >= 1 && value.length <= 32 && isStorable(value)) {
    return value;
  }
  throw invalidField('keyId', value, 'must be the id of a key, as in k1');
}
