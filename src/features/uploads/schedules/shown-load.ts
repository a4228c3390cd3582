/**
 * The load of a schedule, as answers show it: the members of a request for a load. Members that are not set and the queries of addresses
 * are left out.
 */
import { shownAddress } from '../loads/load.ts';
import type { ScheduledLoad } from './schedule.ts';

interface ShownLoad {
  readonly [member: string]: unknown;
  readonly sources: readonly string[];
}

export function showLoad({ asked, terms }: ScheduledLoad): ShownLoad {
  const { sources, dialect, allowHosts, ifGeneration: _, force: __, ...others } = asked;
  const members = {
    ...{ allowHosts: allowHosts.length === 0 ? null : allowHosts, ...others, ...terms, ...dialect },
    ...('skipLines' in dialect && { skipLines: Number(dialect.skipLines) }),
  };
  const given = Object.entries(members).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), sources: sources.map(shownAddress) };
}
