/**
 * Asks the configured resolvers for the records of a name. We do not trust an answer: we bound its number of records, and compare names in
 * one form. The caller decides whether an address in it may be connected to.
 */
import { Resolver } from 'node:dns';
import { Packet } from 'dns2';
import { askDns, type DnsServer, parseDnsServer } from './dns-exchange.ts';

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA' | 'NS';

export interface DnsRecord {
  /** The name of the record, in lower case, without a trailing dot. */
  readonly owner: string;
  readonly type: RecordType;
  /** An address, a target in the form of `owner`, or text as it came. */
  readonly value: string;
  /** The flags and tag of a CAA record (RFC 8659, section 4.1). Then `value` is the value of the property. Absent for other types. */
  readonly caa?: { readonly flags: number; readonly tag: string };
}

export type DnsAnswer =
  | {
      readonly kind: 'answered';
      /** False for NXDOMAIN. */
      readonly exists: boolean;
      /** All records of the answer: the records of the question, and the CNAME records that lead to them. */
      readonly records: readonly DnsRecord[];
    }
  /** No resolver gave a usable answer. */
  | { readonly kind: 'failed'; readonly reason: string };

/** `endsAt`: the deadline, on the clock of `performance.now()`. Never throws. */
export type LookUp = (name: string, type: RecordType, endsAt: number) => Promise<DnsAnswer>;

const TRY_TIMEOUT_MS = 2000;
/** The tries for each server. We ask all servers once before we ask the first one again. */
const TRIES = 2;
const NO_ANSWER: DnsAnswer = { kind: 'failed', reason: 'no answer' };
const TYPES = new Map<number, RecordType>(
  (['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'NS'] as const).map((type) => [Packet.TYPE[type], type]),
);
const RCODES = new Map<number, string>(Object.entries(Packet.RCODE).map(([name, code]) => [code, name]));

/** `servers`: addresses, with a port if it is not 53. Undefined means the system's resolvers. */
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
      // We report an error like SERVFAIL rather than the silence of another server.
      if (answer !== NO_ANSWER) failure = answer;
    }
    return failure;
  };
}

/** Returns the names that the CNAME records lead through, `name` first. The chain ends before a name would repeat. */
export function chainOf(name: string, records: readonly DnsRecord[]): string[] {
  const targets = new Map(
    records.flatMap(({ owner, type, value }) => (type === 'CNAME' ? [[owner, value]] : [])),
  );
  const chain = new Set<string>();
  for (
    let next: string | undefined = name;
    next !== undefined && !chain.has(next);
    next = targets.get(next)
  ) {
    chain.add(next);
  }
  return [...chain];
}

/** The records of one type at the end of the CNAME records that begin at `name`. */
export function recordsOf(name: string, type: RecordType, answer: DnsAnswer): DnsRecord[] {
  const records = recordsIn(answer);
  const end = chainOf(name, records).at(-1);
  return records.filter((record) => record.type === type && record.owner === end);
}

export const recordsIn = (answer: DnsAnswer): readonly DnsRecord[] =>
  answer.kind === 'answered' ? answer.records : [];

/** The system's resolvers may change while we run. */
const READ_EVERY_MS = 1000;

/**
 * Returns the current servers. They are read at most once a second, because `new Resolver` reads files and one check makes a dozen
 * look-ups.
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
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const { header, answers } = await askDns(server, { name, type: Packet.TYPE[type] }, timeout.signal);
    const { NOERROR, NXDOMAIN } = Packet.RCODE;
    if (header.rcode !== NOERROR && header.rcode !== NXDOMAIN) {
      return { kind: 'failed', reason: RCODES.get(header.rcode) ?? `code ${header.rcode}` };
    }
    return { kind: 'answered', exists: header.rcode === NOERROR, records: answers.flatMap(toRecords) };
  } catch {
    // The server is silent or unreachable, or its answer cannot be read.
    return NO_ANSWER;
  } finally {
    clearTimeout(timer);
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
    case 'CAA':
      return [
        {
          ...record,
          value: resource.value ?? '',
          caa: { flags: resource.flags ?? 0, tag: resource.tag ?? '' },
        },
      ];
  }
}

function inOneForm(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
