import { expect, test } from 'vitest';
import { readChain } from '../../../src/platform/x509/certificate-chain.ts';
import { createAuthority } from '../../../src/platform/x509/own-authority.ts';

/** RFC 9773, appendix A. */
const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;

test('is that of the example in RFC 9773', async () => {
  const { id } = await readChain(EXAMPLE);
  expect(id).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
});

test('does not exist for a certificate that does not name the key of its issuer', async () => {
  const lifetime = { notBefore: new Date(), notAfter: new Date(Date.now() + 60_000) };
  const { certificate } = await createAuthority('Own', ['test'], lifetime);
  expect((await readChain(certificate)).id).toBeUndefined();
});
