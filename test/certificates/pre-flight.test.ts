import { expect, test } from 'vitest';
import { checkHostname } from '../../src/features/certificates/pre-flight.ts';
import { createDiagnose } from '../../src/features/domains/diagnose-domain.ts';
import { type LookUp, NO_ANSWER } from '../../src/platform/dns/look-up.ts';

const SERVFAIL = { kind: 'failed', reason: 'SERVFAIL' } as const;
const TARGET = 'x.cname.example.net';

test.each<[string, string, LookUp]>([
  ['no lookup has an answer, as without a resolver', 'unavailable', async () => NO_ANSWER],
  [
    'each lookup of it has an error, as with broken DNSSEC',
    'failed',
    async (name, ...asked) =>
      name === TARGET ? lookUpOf({ [TARGET]: { a: '192.0.2.2' } })(name, ...asked) : SERVFAIL,
  ],
])('if %s, the issuance is %s', async (_, failure, lookUp) => {
  const options = { lookUp, diagnose: createDiagnose(lookUp) };
  const check = (cnameTarget: string | undefined) =>
    checkHostname(options, { hostname: 'maps.example.com', cnameTarget }, ['letsencrypt.org']);
  await expect(check(TARGET)).rejects.toMatchObject({ failure });
  // The hostname of the API itself may lead anywhere.
  await expect(check(undefined)).rejects.toMatchObject({ failure });
});

test('while the zone of the target fails, and with it each lookup that follows the CNAME record, the issuance is put off', async () => {
  const lookUp: LookUp = async (name, type, endsAt) =>
    name !== TARGET && type === 'CNAME'
      ? lookUpOf({ 'maps.example.com': { cname: TARGET, a: '' } })(name, type, endsAt)
      : SERVFAIL;
  const options = { lookUp, diagnose: createDiagnose(lookUp) };
  await expect(
    checkHostname(options, { hostname: 'maps.example.com', cnameTarget: TARGET }, ['letsencrypt.org']),
  ).rejects.toMatchObject({
    failure: 'unavailable',
    message: `${TARGET} has no address, or the DNS lookup of it failed. Its operator must correct that.`,
  });
});

/** Answers questions for A and CNAME. The answer of a name with a CNAME record has the address of its target. */
function lookUpOf(
  answers: Readonly<Record<string, { readonly cname?: string; readonly a: string }>>,
): LookUp {
  return async (owner, type) => {
    const { cname, a } = answers[owner] ?? {};
    const lead = cname === undefined ? [] : [{ owner, type: 'CNAME' as const, value: cname }];
    const end = a === undefined || type !== 'A' ? [] : [{ owner: cname ?? owner, type, value: a }];
    const isAsked = type === 'CNAME' || type === 'A';
    return { kind: 'answered', exists: true, records: isAsked ? [...lead, ...end] : [] };
  };
}

test.each([
  [
    'its target has others in another answer',
    TARGET,
    TARGET,
    'unavailable',
    /has other addresses at the moment/,
  ],
  [
    'it has them beside the CNAME record',
    TARGET,
    undefined,
    'failed',
    /It must have no address but those of/,
  ],
])(
  'addresses that are not ours: if %s, the issuance is put off or fails',
  async (_, cname, led, failure, message) => {
    const own = lookUpOf({ 'maps.example.com': { ...(led && { cname: led }), a: '192.0.2.1' } });
    const others = lookUpOf({ 'maps.example.com': { cname, a: '192.0.2.1' }, [TARGET]: { a: '192.0.2.2' } });
    const lookUp: LookUp = (name, type, endsAt) =>
      (name === 'maps.example.com' && type === 'A' ? own : others)(name, type, endsAt);
    const options = { lookUp, diagnose: createDiagnose(lookUp) };
    await expect(
      checkHostname(options, { hostname: 'maps.example.com', cnameTarget: TARGET }, []),
    ).rejects.toMatchObject({ failure, message: expect.stringMatching(message) });
  },
);
