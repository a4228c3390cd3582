/** Hosts of URLs: some are written as given, some as A-labels, and some are refused. Most need a full check. */
import type { Random } from './random.ts';

const LABEL_63 = 'a'.repeat(63);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const HOST_CHARACTERS = `${LETTERS}${LETTERS.toUpperCase()}0123456789-_`;

const GOOD_HOSTS: readonly string[] = [
  'a.example',
  'x',
  'localhost',
  'WWW.Example.COM',
  'a_b.example.org',
  "a!$&'()+,;=~b.com",
  'example.com.',
  'xn--mnchen-3ya.de',
  'XN--mnchen-3ya.de',
  'a.xn--p1ai',
  'xn--ls8h.la',
  '192.0.2.7',
  '[2001:db8::1]',
  '[2001:DB8:0::1]',
  '[::ffff:192.0.2.7]',
  '[::]',
  'a.b.c.d.e.f.g.example',
  '1.2.3.4.example',
  '-a.b-.example',
  `${LABEL_63}.com`,
  `${`${LABEL_63}.`.repeat(3)}${'a'.repeat(61)}`,
  `${'a.'.repeat(126)}b`,
  `${'long-label.'.repeat(4)}example`,
  `${'b'.repeat(40)}.${'c'.repeat(40)}`,
  `${'b'.repeat(41)}.${'c'.repeat(41)}`,
  'bücher.example',
  'BÜCHER.example',
  'b\u0075\u0308cher.example',
  'МОСКВА.рф',
  'straße.de',
  'ẞ.example',
  '例え。jp',
  'a．b',
  'ﬁ.example',
  'a\u00adb.example',
  '\u212a.example',
  '\u017f.example',
  '😀.example',
  'ａ.example',
];

const ODD_HOSTS: readonly string[] = [
  '',
  '.',
  '..',
  'a..b',
  '.a.example',
  'example.com..',
  '*.example.com',
  'a b.example',
  '%41.example',
  'a%',
  'é%41.example',
  'a\\b',
  'a"b',
  'a<b',
  'a^b',
  'a|b',
  'a`b',
  'a{b}',
  'me@a.example',
  'me:secret@a.example',
  '@a.example',
  'a.example@',
  `a${LABEL_63}.com`,
  `${`${LABEL_63}.`.repeat(3)}${'a'.repeat(62)}`,
  `${'ü'.repeat(60)}.de`,
  '1.2.3',
  '1.2.3.4.',
  '01.2.3.4',
  '1.2.3.256',
  '1.2.3.4.5',
  '0x7f.1',
  '0x7f000001',
  'a.0x1',
  'a.1',
  '1e3',
  '2130706433',
  '4294967296',
  '0',
  '１２７.0.0.1',
  'xn--',
  'xn--a',
  'xn--0',
  'a.xn--a-.example',
  'xn--zca.example',
  '[::1',
  '::1]',
  '[]',
  '[::1]x',
  'x[::1]',
  '[::g]',
  '[1:2:3:4:5:6:7:8:9]',
  '[fe80::1%25eth0]',
  '[v1.x]',
  '[example.com]',
  'a／b',
  'a\u200db',
  'a\u2028b',
  'a\u0338b',
  '\u0301a',
  'א1.example',
  'אa.example',
  '\u3002.example',
  '\ufffd.example',
];

export const NOTABLE_HOSTS: readonly string[] = [
  ...GOOD_HOSTS,
  ...ODD_HOSTS,
  ...[1, 2, 38, 39, 40, 41, 42, 62, 63, 64, 65].flatMap((length) => {
    const label = 'h'.repeat(length);
    return [label, `${label}.example`, `a.${label}`, `${label}.`, `${label}.x`, `x.${label}.y`];
  }),
  ...Array.from({ length: 8 }, (_, labels) => `${'l.'.repeat(labels)}example`),
];

/** A host of few, of many or of notable ones, so that some come again soon and some never. */
export function randomHost(random: Random, isOdd: boolean): string {
  if (isOdd) return random.pick(ODD_HOSTS);
  switch (random.below(8)) {
    case 0:
      return random.pick(GOOD_HOSTS);
    case 1:
      return `h${random.below(5_000)}.example`;
    case 2: {
      const count = random.between(1, 6);
      const labels = Array.from({ length: count }, () => random.text(HOST_CHARACTERS, random.between(1, 12)));
      return [...labels, random.text(LETTERS, random.between(1, 8))].join('.');
    }
    case 3:
      return `${random.text(HOST_CHARACTERS, random.between(36, 66))}.example`;
    default:
      return random.pick(['www.example.com', 'a.example', 'img.a.example', 'cdn.example.net', 'a.exampl']);
  }
}
