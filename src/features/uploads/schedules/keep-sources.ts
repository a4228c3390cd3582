/** The query of an address may be a secret, so a schedule is shown without. What is sent as it was shown stays as it is. */
import { type AskedLoad, shownAddress } from '../loads/load.ts';

const SHOWN = '?%E2%80%A6';

export function keepSources(asked: AskedLoad, former: AskedLoad | undefined): AskedLoad {
  const known = new Map(former?.sources.map((url) => [shownAddress(url), url]));
  const sources = asked.sources.map((url) =>
    url.endsWith(SHOWN) ? (known.get(shownAddress(url)) ?? url) : url,
  );
  return { ...asked, sources };
}
