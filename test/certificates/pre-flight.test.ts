import { expect, test } from 'vitest';
import { checkHostname } from '../../src/features/certificates/pre-flight.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import type { DnsAnswer, LookUp } from '../../src/platform/dns/look-up.ts';

const hostname = 'maps.example.com';
const cnameTarget = 'x.cname.example.net';
const NO_ANSWER: DnsAnswer = { kind: 'failed', reason: 'no answer' };
const answered = (records: Extract<DnsAnswer, { kind: 'answered' }>['records']): DnsAnswer => ({
  ...({ kind: 'answered', exists: true } as const),
  records,
});

/** A hostname that leads to us, and whose CAA records cannot be read. */
const withoutCaa: LookUp = async (name, type) => {
  if (type === 'CAA') return NO_ANSWER;
  if (type === 'CNAME' && name === hostname) return answered([{ owner: name, type, value: cnameTarget }]);
  return answered(type === 'A' ? [{ owner: name, type, value: '192.0.2.1' }] : []);
};

test.each<[string, string, LookUp]>([
  ['no lookup has an answer, as without a resolver', 'unavailable', async () => NO_ANSWER],
  ['only CAA has no answer', 'failed', withoutCaa],
])('if %s, the issuance is %s', async (_, failure, lookUp) => {
  const options = { lookUp, diagnose: createDiagnose(lookUp) };
  const check = (target: string | undefined) =>
    checkHostname(options, { hostname, cnameTarget: target }, ['letsencrypt.org']);
  await expect(check(cnameTarget)).rejects.toMatchObject({ failure });
  // The hostname of the API itself may lead anywhere.
  await expect(check(undefined)).rejects.toMatchObject({ failure });
});
