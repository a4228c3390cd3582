/** URLs of every kind. Most are accepted, as given or percent-encoded. */
import { MAX_URL_LENGTH, MIN_LOC_LENGTH } from '../../../src/core/sitemap/limits.ts';
import { NOTABLE_HOSTS, randomHost } from './hosts.ts';
import type { Random } from './random.ts';
import { anyCase } from './strings.ts';
import { words } from './words.ts';

const ORIGIN = 'https://a.example';

const SCHEMES = ['http://', 'https://', 'HTTP://', 'HTTPS://', 'hTtPs://'];
const ODD_SCHEMES = [
  ...words(
    '// / http: https: http:/ https:/ http// http:/// https://// https:\\\\ ftp:// htt:// httpss:// ws://',
  ),
  ...['', 'https ://', ' https://', '\ufeffhttps://', 'http\u017f://'],
];
const PORTS = ['', ':', ':0', ':80', ':443', ':8080', ':65535', ':065535', ':00000000000000080'];
const ODD_PORTS = [...words(':65536 :99999 :4294967376 :8a :-1 :80:80 :: :１ :1e3 :8\\'), ': 80', ':80 '];

/** Characters that JavaScript's `trim` removes, and characters that only look like them. */
const WHITE_SPACE = [
  ...'\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000\ufeff',
];
const ALMOST_WHITE_SPACE = ['\x1c', '\x85', '\u180e', '\u200b', '\u2060'];

/** Beginnings of escapes. Some are whole. */
const ESCAPES = words('% %% %4 %4g %g4 %é %4é %٤1 %41 %c3%a9 %C3%A9 %%41 %ff %0');
const PLAIN = "-._~!$&'()*+,;=:@/?aZ09";
const ENCODED = [...' "<>`{}|^\\[]éß煎😀\xa0\u2028\ufeff\ufffd\u{10ffff}'];
const CHARACTERS = [
  ...Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)),
  ...[...ENCODED, ...WHITE_SPACE, ...ALMOST_WHITE_SPACE, '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uf000'],
  ...['\ufffe', '\uffff', '\u{1fffe}', '\ud83d', '\ude00', '\ude00\ud83d'],
];

/** Beginnings of URLs, with the length as written. */
const BEGINNINGS = [
  [`${ORIGIN}/`, 18],
  [`${ORIGIN}?`, 18],
  [`${ORIGIN}/#`, 19],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'.length],
  ['https://a.example:/', 18],
] as const;
/** Characters, by their length as written. */
const BY_LENGTH: readonly (readonly [length: number, characters: readonly string[]])[] = [
  [1, ['a', '&', "'"]],
  [3, ['%41', ' ', '%']],
  [6, ['é']],
  [9, ['煎']],
  [12, ['😀']],
];

/** Just around the limits, as given and as written. */
function* urlsAtLimits(): Generator<string> {
  for (const scheme of ['http://', 'https://', 'HTTPS://']) {
    for (let length = scheme.length; length <= MIN_LOC_LENGTH + 2; length++) {
      const url = `${scheme}a.bcdefgh`.slice(0, length);
      for (const end of ['', '/', ':', ':/', ':1', '?', '#', '?#', '/?', '.', '%']) yield url + end;
    }
  }
  for (const [beginning, beginningLength] of BEGINNINGS) {
    for (const written of [MAX_URL_LENGTH - 1, MAX_URL_LENGTH, MAX_URL_LENGTH + 1]) {
      const room = written - beginningLength;
      for (const [length, characters] of BY_LENGTH) {
        const start = beginning + 'p'.repeat(room % length);
        for (const character of characters) yield start + character.repeat(Math.floor(room / length));
      }
    }
    for (const given of [MAX_URL_LENGTH, MAX_URL_LENGTH + 1]) yield beginning.padEnd(given, 'p');
  }
}

/** Every part with every notable value, the other parts being plain. */
export function* notableUrls(): Generator<string> {
  for (const host of NOTABLE_HOSTS) for (const rest of ['/p', '', ':80?q']) yield `https://${host}${rest}`;
  for (const scheme of [...SCHEMES, ...ODD_SCHEMES])
    for (const rest of ['a.example', 'a.example/p']) yield scheme + rest;
  for (const port of [...PORTS, ...ODD_PORTS]) {
    for (const host of ['a.example', 'bücher.example', '[::1]', 'a.b', '']) {
      for (const rest of ['', '/', '?', '#', '/p']) yield `http://${host}${port}${rest}`;
    }
  }
  for (const character of CHARACTERS) {
    for (const around of ['/_', '/_z', '?_z', '/#_z', '#_', '/?_', '_', '_/', ':8_/', 'm_']) {
      yield ORIGIN + around.replace('_', () => character);
    }
    yield `https://${character}a.example/`;
    yield `${character}${ORIGIN}/`;
    yield character;
  }
  for (const first of ['', '#', '#a', '?', '?a', '/', '/a', '/?#', '/a?b#c']) {
    for (const second of ['#', '##', '#%', '#é#', '?', '/', '%23']) yield `${ORIGIN}${first}${second}`;
  }
  yield* urlsAtLimits();
}

/** Escapes and other characters that need a look, behind up to forty plain ones and before up to two. */
export function* urlsAtEveryPosition(): Generator<string> {
  for (const piece of [...ESCAPES, ...ENCODED, '&', "'", '#', '##', '?', '/']) {
    for (let before = 0; before <= 40; before++) {
      for (const after of ['', 'q', '4', '41']) yield `${ORIGIN}/${'p'.repeat(before)}${piece}${after}`;
    }
  }
  for (let length = 1; length <= 70; length++) {
    const host = `${'host.'.repeat(14).slice(0, length)}x`.replaceAll('..', '.');
    for (const end of ['', '/', '?é', '#', ':80/']) yield `https://${host}${end}`;
  }
}

export function randomUrl(random: Random, isOdd: boolean): string {
  // In an odd URL, one part is odd, or the end.
  const odd = isOdd ? random.below(5) : -1;
  const scheme =
    odd === 0 ? random.pick(ODD_SCHEMES) : random.pick(SCHEMES.slice(0, random.onceIn(8) ? 5 : 2));
  const host = randomHost(random, odd === 1);
  const port = odd === 2 ? random.pick(ODD_PORTS) : random.onceIn(8) ? random.pick(PORTS) : '';
  let url = scheme + (random.onceIn(20) ? anyCase(host, random) : host) + port + randomRest(random);
  if (odd === 3) url += random.pick(WHITE_SPACE);
  if (odd === 4) url += random.pick(CHARACTERS) + (random.onceIn(2) ? 'z' : '');
  // As given it is near the limit; percent-encoding may bring it over.
  if (random.onceIn(100))
    url += 'p'.repeat(Math.max(0, MAX_URL_LENGTH + random.between(-20, 2) - url.length));
  return url;
}

function randomRest(random: Random): string {
  if (random.onceIn(12)) return random.pick(['', '/', '?', '#', '/?', '/#', '?#']);
  let rest =
    random.pick(['/', '/', '/', '/', '?', '#']) + 'p'.repeat(random.onceIn(6) ? random.below(41) : 0);
  const count = random.below(5);
  for (let i = 0; i < count; i++) {
    switch (random.below(8)) {
      case 0:
        rest += random.pick(ENCODED);
        break;
      case 1:
        rest += random.pick(ESCAPES);
        break;
      case 2:
        rest += random.pick(['?', '#', '/', '&', "'", '=']);
        break;
      default:
        rest += random.text(random.onceIn(2) ? PLAIN : 'abcdefghijkl', random.between(1, 12));
    }
  }
  // White space at the end is refused.
  return rest.trimEnd();
}
