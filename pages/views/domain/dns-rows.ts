/**
 * The CNAME record as the form of a DNS provider has it. Each field has a row with the text to enter, the text that was found, and the
 * state. The proxy of Cloudflare and CAA records have rows, too.
 */
import type { DnsAdvice, DomainDetails } from '../../../client/src/answers.ts';
import type { Tone } from '../../parts/tone.ts';

export interface DnsRow {
  readonly field: string;
  readonly enter: string;
  /** The words for the copied text, as in "the type". Undefined: there is nothing to copy. */
  readonly copied?: string;
  readonly found: string;
  readonly tone: Tone;
  readonly word: string;
  /** The cure, in a line below the row, and a text to copy for it. */
  readonly message?: string | null;
  readonly copy?: string | null;
}

type State = DnsAdvice['state'];

const WORDS: Readonly<Record<State, readonly [Tone, string]>> = {
  valid: ['good', 'Valid'],
  in_use: ['good', 'Valid'],
  unchecked: ['waiting', 'Not found yet'],
  not_found: ['waiting', 'Not found yet'],
  wildcard: ['waiting', 'Not found yet'],
  wrong_target: ['bad', 'Wrong target'],
  other_account: ['bad', 'Wrong target'],
  domain_added: ['bad', 'Domain added twice'],
  name_added: ['bad', 'Domain added twice'],
  proxied: ['bad', 'Proxy is on'],
  website: ['waiting', 'Your website'],
  wrong_address: ['bad', 'Wrong address'],
  text_missing: ['bad', 'Text missing'],
  blocked: ['bad', 'Certificate blocked'],
  no_answer: ['waiting', "Couldn't check"],
};

export const stateWord = (state: State) => ({ tone: WORDS[state][0], word: WORDS[state][1] });

const VALID = stateWord('valid');
const NOTHING = { tone: 'neutral', word: '–' } as const;

/** Returns the rows. Empty for a name that needs no record. */
export function dnsRows({ dns }: Pick<DomainDetails, 'dns'>): readonly DnsRow[] {
  const [cname, caa] = dns.records;
  if (cname === undefined) return [];
  const [found] = cname.found;
  const { state } = cname;
  const isCname = found?.type === 'CNAME';
  const isThere = found !== undefined && state !== 'wildcard';
  const cure = { message: cname.message, copy: cname.copy };
  const isProxied = state === 'proxied';
  const isNameWrong = state === 'name_added';
  const value = isCname && state === 'website' ? 'wrong_target' : state;
  return [
    {
      ...{ field: 'Type', enter: 'CNAME', copied: 'the type', found: isThere ? found.type : '–' },
      ...(isCname ? VALID : NOTHING),
    },
    {
      ...{ field: 'Name', enter: cname.name, copied: 'the name' },
      found: isNameWrong ? `${cname.name}.${dns.zone}` : isThere ? cname.name : '–',
      ...(isNameWrong ? { ...stateWord(state), ...cure } : isThere ? VALID : NOTHING),
    },
    {
      ...{ field: 'Value', enter: cname.value, copied: 'the value' },
      found: isNameWrong ? cname.value : (found?.value ?? 'Nothing'),
      ...(isNameWrong ? VALID : isProxied ? NOTHING : { ...stateWord(value), ...cure }),
    },
    ...proxyRow(dns, isProxied, isCname, cure),
    ...(caa ? [caaRow(caa)] : []),
  ];
}

/** Returns the row for the proxy, if the proxy is on or the provider is Cloudflare. No other provider has a proxy to switch off. */
function proxyRow(
  { provider }: DomainDetails['dns'],
  isOn: boolean,
  isCname: boolean,
  cure: Pick<DnsRow, 'message' | 'copy'>,
): readonly DnsRow[] {
  if (!isOn && provider?.name !== 'Cloudflare') return [];
  const row = { field: 'Proxy', enter: 'DNS only, grey cloud' };
  if (isOn) return [{ ...row, found: 'Proxied', ...stateWord('proxied'), ...cure }];
  return [{ ...row, found: isCname ? 'DNS only' : '–', ...(isCname ? VALID : NOTHING) }];
}

function caaRow({ value, found, state, message, copy }: DnsAdvice): DnsRow {
  const authority = /"(.+)"/.exec(value)?.[1] ?? value;
  return {
    ...{ field: 'CAA', enter: `None, or one that allows ${authority}` },
    found: found.map((record) => record.value).join(', ') || (state === 'no_answer' ? '–' : 'None'),
    ...stateWord(state),
    ...{ message, copy },
  };
}
