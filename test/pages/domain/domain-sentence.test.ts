import { describe, expect, test } from 'vitest';
import { domainSentence, isServed } from '../../../pages/views/domain/domain-sentence.ts';

const STATUSES = ['pending_verification', 'verified', 'active', 'failed'] as const;
const SSL_STATUSES = ['pending', 'provisioning', 'active', 'failed'] as const;
const PAIRS = STATUSES.flatMap((status) => SSL_STATUSES.map((sslStatus) => ({ status, sslStatus })));

describe('the sentence of a domain', () => {
  test.each(PAIRS)('says whether it is served: $status, $sslStatus', (pair) => {
    const sentence = domainSentence(pair);
    expect(sentence.startsWith('Nothing is served')).toBe(!isServed(pair));
    expect(sentence.startsWith('Its sitemaps are served')).toBe(isServed(pair));
  });

  test.each(PAIRS)('promises HTTPS only where there is a certificate: $status, $sslStatus', (pair) => {
    expect(domainSentence(pair).includes('over HTTPS')).toBe(pair.status === 'active');
  });

  test('tells the pairs apart for which somebody has to do something', () => {
    const asking = [
      domainSentence({ status: 'pending_verification', sslStatus: 'pending' }),
      domainSentence({ status: 'verified', sslStatus: 'failed' }),
      domainSentence({ status: 'active', sslStatus: 'failed' }),
      domainSentence({ status: 'failed', sslStatus: 'failed' }),
    ];
    expect(new Set(asking).size).toBe(asking.length);
  });
});
