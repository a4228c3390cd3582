import { expect, test } from 'vitest';
import { checkHostname } from '../../src/features/certificates/pre-flight.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { type LookUp, NO_ANSWER } from '../../src/platform/dns/look-up.ts';

const SERVFAIL = { kind: 'failed', reason: 'SERVFAIL' } as const;

test.each<[string, string, LookUp]>([
  ['no lookup has an answer, as without a resolver', 'unavailable', async () => NO_ANSWER],
  ['each lookup has an error, as with broken DNSSEC', 'failed', async () => SERVFAIL],
])('if %s, the issuance is %s', async (_, failure, lookUp) => {
  const options = { lookUp, diagnose: createDiagnose(lookUp) };
  const check = (cnameTarget: string | undefined) =>
    checkHostname(options, { hostname: 'maps.example.com', cnameTarget }, ['letsencrypt.org']);
  await expect(check('x.cname.example.net')).rejects.toMatchObject({ failure });
  // The hostname of the API itself may lead anywhere.
  await expect(check(undefined)).rejects.toMatchObject({ failure });
});
