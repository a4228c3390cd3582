import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { LocKernel } from '../../src/features/find/loc-kernel.ts';
import { findEntry } from '../../src/features/find/read-found.ts';

function xmlOf(entry: object): string {
  const parsed = parseEntry(entry, 0);
  if (!('entry' in parsed)) throw new Error('not valid');
  return renderEntry(parsed.entry).trimEnd();
}

const locs = fc.array(
  fc
    .tuple(fc.constantFrom('a', 'b', 'ab', 'ü&', "x'y"), fc.nat(20))
    .map(([text, n]) => `https://example.com/${text}${'q'.repeat(n)}`),
  { minLength: 1, maxLength: 30 },
);

function* cut(bytes: Buffer, sizes: readonly number[]) {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = at + sizes[i % sizes.length]!;
    yield bytes.subarray(at, end);
    at = end;
  }
}

test('the first entry of a URL is found in XML in any pieces, and its hash is there', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(locs, sizes, async (all, pieces) => {
      const entries = all.map((loc, i) =>
        xmlOf({ loc, priority: (i % 10) / 10, images: [{ loc: `${loc}.png` }] }),
      );
      const xml = Buffer.from(`<?xml version="1.0"?>\n<urlset>\n${entries.join('\n')}\n</urlset>\n`);
      const kernel = new LocKernel();
      kernel.begin();
      const hashes = [...cut(xml, pieces)].flatMap((piece) =>
        [...kernel.hashes(piece, 5n)].flatMap((words) =>
          Array.from(
            { length: words.length / 2 },
            (_, i) => (BigInt(words[2 * i + 1]!) << 32n) | BigInt(words[2 * i]!),
          ),
        ),
      );
      const ones = new LocKernel();
      for (const [i, entry] of entries.entries()) {
        const loc = /<loc>(.*?)<\/loc>/.exec(entry)![1]!.replaceAll('&amp;', '&').replaceAll('&apos;', "'");
        expect(hashes[i]).toBe(ones.hashOf(loc, 5n));
        expect(await findEntry(loc, cut(xml, pieces))).toBe(
          entries.find((one) => one.includes(`<url><loc>${/<loc>(.*?)<\/loc>/.exec(entry)![1]}</loc>`)),
        );
      }
      expect(hashes).toHaveLength(entries.length);
      expect(await findEntry('https://example.com/none', cut(xml, pieces))).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
