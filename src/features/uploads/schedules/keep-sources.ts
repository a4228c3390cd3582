/**
 * The query of an address may be a secret, so a schedule is shown without it. If a client sends an address as it was shown, the
 * stored address stays.
 */
import { invalidField } from '../../../platform/refusal.ts';
import { type AskedLoad, shownAddress } from '../loads/load.ts';

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
