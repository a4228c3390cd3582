/**
 * Makes the URLs that people easily confuse with a given URL: all URLs with one or two differences. An index finds whole URLs only, so a
 * look-up tries near URLs one by one.
 */

export const DIFFERENCES = ['scheme', 'www', 'trailingSlash', 'letterCase', 'percentEncoding'] as const;
export type Difference = (typeof DIFFERENCES)[number];

export interface NearUrl {
  readonly url: string;
  /** The differences to the URL that was asked for. */
  readonly differences: readonly Difference[];
}

const MOST_DIFFERENCES = 2;
const PARTS = /^(https?):\/\/([^/?#]*)([^?#]*)(.*)$/is;

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** The query and the fragment. */
  readonly rest: string;
}

const CHANGES: Readonly<Record<Difference, (parts: Parts) => readonly Parts[]>> = {
  scheme: (parts) => [{ ...parts, scheme: parts.scheme.toLowerCase() === 'https' ? 'http' : 'https' }],
  www: (parts) => [
    { ...parts, host: /^www\./i.test(parts.host) ? parts.host.slice('www.'.length) : `www.${parts.host}` },
  ],
  trailingSlash: (parts) => [
    { ...parts, path: parts.path.endsWith('/') ? parts.path.slice(0, -1) : `${parts.path}/` },
  ],
  letterCase: ({ scheme, host, path, rest }) => [
    { scheme: scheme.toLowerCase(), host: host.toLowerCase(), path, rest },
    { scheme, host, path: lowerCase(path), rest: lowerCase(rest) },
    { scheme: scheme.toLowerCase(), host: host.toLowerCase(), path: lowerCase(path), rest: lowerCase(rest) },
  ],
  percentEncoding: (parts) => {
    const { path, rest } = parts;
    const decoded = { ...parts, path: decode(path, UNRESERVED), rest: decode(rest, UNRESERVED) };
    return [
      decoded,
      // Some programming languages write the digits of escapes in lower case.
      { ...parts, path: lowerCaseDigits(path), rest: lowerCaseDigits(rest) },
      { ...decoded, path: decode(path, PLAIN_IN_PATH) },
      { ...decoded, path: decoded.path.split('/').map(encodeSegment).join('/') },
    ];
  },
};

const UNRESERVED = /[\w\-.~]/;
const PLAIN_IN_PATH = /[\w\-.~!$&'()*+,;=:@]/;
const ESCAPE = /%([\dA-F]{2})/gi;
const ESCAPED_OR_LETTER = /%[\dA-F]{2}|[A-Z]/gi;
const TO_BE_ESCAPED = /[!$&'()*+,;=:@]/g;

/** Returns the text in lower case. The digits of escapes stay, because they are no letters of the URL. */
function lowerCase(text: string): string {
  return text.replace(ESCAPED_OR_LETTER, (found) => (found.startsWith('%') ? found : found.toLowerCase()));
}

const lowerCaseDigits = (text: string) => text.replace(ESCAPE, (escaped) => escaped.toLowerCase());

/** Decodes the escapes of these characters. The digits of all other escapes become upper case (RFC 3986, section 6.2.2.1). */
function decode(text: string, characters: RegExp): string {
  return text.replace(ESCAPE, (escaped, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return characters.test(character) ? character : escaped.toUpperCase();
  });
}

function encodeSegment(segment: string): string {
  return segment.replace(TO_BE_ESCAPED, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the URLs near a URL. URLs with one difference come first. The URL itself is not in the list. */
export function nearUrls(url: string): NearUrl[] {
  const [, scheme, host, path, rest] = PARTS.exec(url) ?? [];
  if (scheme === undefined || host === undefined || path === undefined || rest === undefined) return [];
  const found = new Map<string, NearUrl>();
  let last: { parts: Parts; differences: readonly Difference[] }[] = [
    { parts: { scheme, host, path, rest }, differences: [] },
  ];
  for (let n = 1; n <= MOST_DIFFERENCES; n++) {
    const next: typeof last = [];
    for (const { parts, differences } of last) {
      // Try each pair of differences once, in the order of DIFFERENCES.
      const from = differences.length === 0 ? 0 : DIFFERENCES.indexOf(differences.at(-1)!) + 1;
      for (const difference of DIFFERENCES.slice(from)) {
        for (const changed of CHANGES[difference](parts)) {
          const text = textOf(changed);
          if (text === url || found.has(text)) continue;
          const near = { parts: changed, differences: [...differences, difference] };
          found.set(text, { url: text, differences: near.differences });
          next.push(near);
        }
      }
    }
    last = next;
  }
  return [...found.values()];
}

const textOf = ({ scheme, host, path, rest }: Parts) => `${scheme}://${host}${path}${rest}`;
