import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostOf, hostsOf } from '../../../pages/views/new-domain/host-of.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

test.each([
  ['sitemaps.acme.com', 'sitemaps.acme.com'],
  ['  https://www.acme.com/shoes?page=2#top ', 'www.acme.com'],
  ['http://maria:secret@acme.com:8443/', 'acme.com'],
  ['//cdn.acme.com/x', 'cdn.acme.com'],
  ['acme.com/shoes', 'acme.com'],
  ['https://www.bücher-müller.de/straße', 'www.bücher-müller.de'],
  ['sitemaps.acme.com.', 'sitemaps.acme.com.'],
  ['', ''],
])('the host of %j is %j', (typed, host) => expect(hostOf(typed)).toBe(host));

test('the host of every address is that of URL', () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      expect(hostOf(url).toLowerCase()).toBe(new URL(url).hostname);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('hosts are parted by lines and commas, each once', () => {
  expect(
    hostsOf('a.example.com\r\n https://b.example.com/x\n\na.example.com, c.example.com;d.example.com'),
  ).toEqual(['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com']);
});
