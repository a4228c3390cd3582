import { describe, expect, test } from 'vitest';
import { httpsState } from '../../../pages/views/domain/https-state.ts';

const NOW = Date.parse('2026-01-15T10:00:00Z');
const none = {
  issuer: null,
  notBefore: null,
  notAfter: null,
  renewAt: null,
  lastError: null,
  nextAttemptAt: '2026-01-15T10:10:00Z',
};
const valid = { ...none, issuer: 'R11', notAfter: '2026-03-15T10:00:00Z' };
const expired = { ...valid, notAfter: '2026-01-14T10:00:00Z' };
const failing = { lastError: 'A CAA record forbids it.' };

describe('the state of the certificate', () => {
  test.each([
    { status: 'pending_verification', sslStatus: 'pending', certificate: null, word: 'After DNS' },
    // It was verified before.
    { status: 'pending_verification', sslStatus: 'pending', certificate: valid, word: 'After DNS' },
    { status: 'verified', sslStatus: 'pending', certificate: none, word: 'Issuing' },
    { status: 'verified', sslStatus: 'provisioning', certificate: none, word: 'Issuing' },
    { status: 'verified', sslStatus: 'provisioning', certificate: { ...none, ...failing }, word: 'Not yet' },
    { status: 'verified', sslStatus: 'provisioning', certificate: expired, word: 'Expired' },
    { status: 'verified', sslStatus: 'failed', certificate: { ...none, ...failing }, word: 'Failed' },
    { status: 'active', sslStatus: 'active', certificate: valid, word: 'Active' },
    { status: 'active', sslStatus: 'provisioning', certificate: valid, word: 'Renewing' },
    { status: 'active', sslStatus: 'active', certificate: { ...valid, ...failing }, word: 'Renewal fails' },
    { status: 'active', sslStatus: 'failed', certificate: { ...valid, ...failing }, word: 'Renewal fails' },
    { status: 'failed', sslStatus: 'failed', certificate: { ...none, ...failing }, word: 'Failed' },
    { status: 'failed', sslStatus: 'failed', certificate: { ...none, nextAttemptAt: null }, word: 'Stopped' },
  ] as const)('$status, $sslStatus: $word', ({ word, ...domain }) => {
    expect(httpsState(domain, NOW).word).toBe(word);
  });
});
