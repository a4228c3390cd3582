/**
 * Checks hostnames before their registration: whether they may be registered, whether an account has them, and whether they seem to have a
 * website. Registers nothing, and asks DNS only for addresses.
 */
import { domainToUnicode } from 'node:url';
import type { Turns } from '../../platform/concurrency/turns.ts';
import { type LookUp, recordsOf } from '../../platform/dns/look-up.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { needsDns } from './domain.ts';
import { listHolders } from './domain-store.ts';
import { type HostnameRules, parseHostname } from './hostname.ts';
import { shownText } from './shown-text.ts';
import { freeName, isWebsiteName, leaveItAlone } from './website-warning.ts';
import { isOfWildcard } from './wildcard.ts';

/**
 * | state | meaning |
 * |---|---|
 * | free | nothing speaks against it |
 * | website | it seems to have a website; nothing stops its registration |
 * | yours | your account has registered it |
 * | taken | another account has verified it |
 * | invalid | it cannot be registered: the message says why |
 */
export const HOSTNAME_STATES = ['free', 'website', 'yours', 'taken', 'invalid'] as const;

export interface CheckedHostname {
  readonly given: string;
  /** The hostname in lower case and A-labels. Null if it is invalid. */
  readonly hostname: string | null;
  readonly unicode: string | null;
  readonly state: (typeof HOSTNAME_STATES)[number];
  readonly message: string | null;
  /** A name to use in place of a hostname that seems to have a website. */
  readonly suggestion: string | null;
  readonly addresses: readonly string[];
}

export interface CheckHostnamesOptions {
  readonly database: Database;
  readonly hostnameRules: HostnameRules;
  readonly lookUp: LookUp;
  /** Accounts take turns at lookups. */
  readonly diagnosisTurns: Turns;
}

export const MAX_HOSTNAMES = 50;
/** People wait for the answer while they type. A name whose lookup takes longer counts as one without addresses. */
const LOOK_MS = 1500;
const MAX_ADDRESSES = 4;

export async function checkHostnames(
  options: CheckHostnamesOptions,
  accountId: string,
  given: readonly string[],
): Promise<CheckedHostname[]> {
  const parsed = given.map((text) => ({ given: text, ...parse(text, options.hostnameRules) }));
  const hostnames = parsed.flatMap(({ hostname }) => (hostname === undefined ? [] : [hostname]));
  const holders = await listHolders(options.database, accountId, hostnames);
  const endsAt = performance.now() + LOOK_MS;
  return Promise.all(
    parsed.map(async ({ given: text, hostname, message }) => {
      const none = { given: text, suggestion: null, addresses: [] };
      if (hostname === undefined)
        return { ...none, hostname: null, unicode: null, state: 'invalid' as const, message };
      const known = { ...none, hostname, unicode: domainToUnicode(hostname) };
      const holder = holders.get(hostname);
      if (holder === 'yours')
        return { ...known, state: 'yours' as const, message: `You have added ${hostname} already.` };
      if (holder === 'taken') {
        const taken = `Another Waypost account uses ${hostname}. Its DNS records must lead away from there for 7 days first.`;
        return { ...known, state: 'taken' as const, message: taken };
      }
      return { ...known, ...(await lookForWebsite(options, accountId, hostname, endsAt)) };
    }),
  );
}

function parse(given: string, rules: HostnameRules) {
  try {
    return { hostname: parseHostname(given, rules), message: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { hostname: undefined, message: error.message.replace(/^hostname: /, '') };
  }
}

async function lookForWebsite(
  { lookUp, diagnosisTurns }: CheckHostnamesOptions,
  accountId: string,
  hostname: string,
  endsAt: number,
) {
  const addresses = needsDns(hostname)
    ? await diagnosisTurns.run(accountId, () => ownAddresses(lookUp, hostname, endsAt))
    : [];
  if (addresses.length === 0 && !isWebsiteName(hostname))
    return { state: 'free' as const, message: null, suggestion: null, addresses };
  return {
    state: 'website' as const,
    message: leaveItAlone(hostname, addresses),
    suggestion: freeName(hostname),
    addresses,
  };
}

/**
 * Returns the addresses of the hostname's own records. Addresses of a wildcard record do not count, because a record of the hostname itself
 * takes precedence over the wildcard. They do count for a typical name of a website, such as www.
 */
async function ownAddresses(lookUp: LookUp, hostname: string, endsAt: number): Promise<string[]> {
  const types = ['A', 'AAAA'] as const;
  const answers = await Promise.all(types.map((type) => lookUp(hostname, type, endsAt)));
  const found = answers.flatMap((answer, n) => recordsOf(hostname, types[n]!, answer));
  const isWildcard =
    found.length > 0 &&
    !isWebsiteName(hostname) &&
    (await isOfWildcard(lookUp, hostname, answers[0]!, endsAt));
  return isWildcard ? [] : found.slice(0, MAX_ADDRESSES).map(({ value }) => shownText(value));
}
