/**
 * Asks the configured resolvers for the records of a name. We do not trust an answer: we bound its number of records, and convert its names
 * to one form. The caller decides whether it may connect to an address in the answer.
 */
import { Resolver } from 'node:dns';
import { Packet } from 'dns2';
import { askDns, type DnsServer, parseDnsServer } from './dns-exchange.ts';

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA' | 'NS';

export interface DnsRecord {
  /** The name of the record, in lower case, without a trailing dot. */
  readonly owner: string;
  readonly type: RecordType;
  /** Of A and AAAA an address, of CNAME and NS a name in the form of `owner`, of TXT and CAA the text as it came. */
  readonly value: string;
  /** The flags and the tag of a CAA record (RFC 8659, section 4.1), whose `value` is that of the property. Absent for other types. */
  readonly caa?: { readonly flags: number; readonly tag: string };
}

export type DnsAnswer =
  | {
      readonly kind: 'answered';
      /** False for NXDOMAIN. */
      readonly exists: boolean;
      /** All records of the answer: those of the asked type, and the CNAME records that lead to them. */
      readonly records: readonly DnsRecord[];
    }
  /** No resolver gave a usable answer. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Looks up the records of one type. `endsAt`: the deadline, on the clock of `performance.now()`. Never throws. */
export type LookUp = (name: string, type: RecordType, endsAt: number) => Promise<DnsAnswer>;

const TRY_TIMEOUT_MS = 2000;
/** The most tries for each server. We ask all servers once before we ask the first one again. */
const TRIES = 2;
/** The answer if no resolver answers in time. */
export const NO_ANSWER: Extract<DnsAnswer, { kind: 'failed' }> = { kind: 'failed', reason: 'no answer' };
const TYPES = new Map<number, RecordType>(
  (['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'NS'] as const).map((type) => [Packet.TYPE[type], type]),
);
const RCODES = new Map<number, string>(Object.entries(Packet.RCODE).map(([name, code]) => [code, name]));

/** `servers`: the addresses of the resolvers, with a port if it is not 53. Undefined means the system's resolvers. */
export function createLookUp(servers: readonly string[] | undefined): LookUp {
  const serversNow = createServers(servers);
  return async (name, type, endsAt) => {
    const inTurn = Array.from({ length: TRIES }, serversNow).flat();
    let failure = NO_ANSWER;
    for (const server of inTurn) {
      const timeoutMs = Math.min(TRY_TIMEOUT_MS, endsAt - performance.now());
      if (timeoutMs <= 0) break;
      const answer = await askServer(server, name, type, timeoutMs);
      if (answer.kind === 'answered') return answer;
      // Keep an answer with an error, such as SERVFAIL. It tells more than the silence of another server.
      if (answer !== NO_ANSWER) failure = answer;
    }
    return failure;
  };
}

/**
 * Returns `name` and the names to which the CNAME records lead from it, in their order. Ends before a name that is in the chain already.
 */
export function chainOf(name: string, records: readonly DnsRecord[]): string[] {
  const targets = new Map(
    records.flatMap(({ owner, type, value }) => (type === 'CNAME' ? [[owner, value]] : [])),
  );
  const chain = new Set<string>();
  let next: string | undefined = name;
  while (next !== undefined && !chain.has(next)) {
    chain.add(next);
    next = targets.get(next);
  }
  return [...chain];
}

/** Returns the records of one type at the end of the chain of CNAME records that begins at `name`. */
export function recordsOf(name: string, type: RecordType, answer: DnsAnswer): DnsRecord[] {
  const records = recordsIn(answer);
  const end = chainOf(name, records).at(-1);
  return records.filter((record) => record.type === type && record.owner === end);
}

export const recordsIn = (answer: DnsAnswer): readonly DnsRecord[] =>
  answer.kind === 'answered' ? answer.records : [];

/** The interval between reads of the system's resolvers, which may change while we run. */
const READ_EVERY_MS = 1000;

/**
 * Returns a function that returns the current servers. It reads the system's resolvers at most once a second, because `new Resolver` reads
 * files, and one check of a domain makes a dozen look-ups.
 */
function createServers(servers: readonly string[] | undefined): () => readonly DnsServer[] {
  if (servers !== undefined) {
    const given = readServers(servers);
    return () => given;
  }
  let read: { readonly at: number; readonly servers: readonly DnsServer[] } | undefined;
  return () => {
    const now = performance.now();
    if (read === undefined || now - read.at >= READ_EVERY_MS) read = { at: now, servers: readServers() };
    return read.servers;
  };
}

function readServers(servers?: readonly string[]): readonly DnsServer[] {
  const resolver = new Resolver();
  if (servers !== undefined) resolver.setServers(servers);
  return resolver.getServers().map(parseDnsServer);
}

async function askServer(
  server: DnsServer,
  name: string,
  type: RecordType,
  timeoutMs: number,
): Promise<DnsAnswer> {
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const { header, answers } = await askDns(server, { name, type: Packet.TYPE[type] }, signal);
    const { NOERROR, NXDOMAIN } = Packet.RCODE;
    if (header.rcode !== NOERROR && header.rcode !== NXDOMAIN) {
      return { kind: 'failed', reason: RCODES.get(header.rcode) ?? `code ${header.rcode}` };
    }
    return { kind: 'answered', exists: header.rcode === NOERROR, records: answers.flatMap(toRecords) };
  } catch {
    // The server is silent or unreachable, or its answer cannot be read.
    return NO_ANSWER;
  }
}

function toRecords(resource: Packet['answers'][number]): DnsRecord[] {
  const type = TYPES.get(resource.type);
  if (type === undefined || resource.class !== Packet.CLASS.IN) return [];
  const record = { owner: inOneForm(resource.name), type };
  switch (type) {
    case 'A':
    case 'AAAA':
      return [{ ...record, value: resource.address ?? '' }];
    case 'CNAME':
      return [{ ...record, value: inOneForm(resource.domain ?? '') }];
    case 'NS':
      return [{ ...record, value: inOneForm(resource.ns ?? '') }];
    case 'TXT':
      // DNS splits a long text into several strings.
      return [{ ...record, value: [resource.data].flat().join('') }];
    case 'CAA': {
      const caa = { flags: resource.flags ?? 0, tag: resource.tag ?? '' };
      return [{ ...record, value: resource.value ?? '', caa }];
    }
  }
}

function inOneForm(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
