/**
 * The load of a schedule, as answers show it: the members of a request for a load. Members that are not set are left out. The query of an
 * address may be a secret, so it is left out, too. If a client sends an address as it was shown, the stored address stays.
 */
import { invalidField } from '../../../platform/refusal.ts';
import { type AskedLoad, shownAddress } from '../loads/load.ts';
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

const SHOWN = '?%E2%80%A6';

/**
 * Throws Refusal VALIDATION_ERROR if several stored addresses look the same without their queries, and the client sends some of them, but
 * not exactly as many.
 */
export function keepSources(asked: AskedLoad, former: AskedLoad | undefined): AskedLoad {
  const known = Map.groupBy(former?.sources ?? [], shownAddress);
  const isShown = (url: string) => url.endsWith(SHOWN) && known.has(shownAddress(url));
  for (const [shown, sent] of Map.groupBy(asked.sources.filter(isShown), shownAddress)) {
    const { length } = known.get(shown)!;
    if (length > 1 && sent.length !== length)
      throw invalidField(
        'load.sources',
        shown,
        `stands for ${length} addresses with other queries; write them whole`,
      );
  }
  // Several stored addresses may be shown alike. The first of them that the client sends stands for the first stored, and so on.
  const left = new Map([...known].map(([shown, urls]) => [shown, urls.values()]));
  const sources = asked.sources.map((url) =>
    isShown(url) ? (left.get(shownAddress(url))!.next().value ?? url) : url,
  );
  return { ...asked, sources };
}
