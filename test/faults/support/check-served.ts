/**
 * Judges what crawlers and customers see. Each sitemap is exactly one possible upload, whole and in order. Its index
 * and the domain's index name exactly its files. The API counts their contents.
 */
import { send } from '../../service/support/send.ts';
import { readXml } from '../../sitemap/read-xml.ts';
import { ABSENT, describeState, type History, type State, urlOf } from './history.ts';

export interface Served {
  readonly state: State;
  readonly files: readonly string[];
}

/** Returns what hosting serves, by sitemap name. Throws at the first mistake. */
export async function checkHosting(
  hostingUrl: string,
  hostname: string,
  history: History,
): Promise<ReadonlyMap<string, Served>> {
  const fetchLocs = (path: string) => fetchDocument(hostingUrl, hostname, path);
  const readIndex = async () => (await fetchLocs('/sitemap-index.xml'))?.locs.map(pathOf).sort() ?? [];
  for (;;) {
    const before = await readIndex();
    const served = await readSitemaps(fetchLocs, history).catch((error: Error) => error);
    const named = await readIndex();
    const recent = named.filter(isRecent);
    // The site was written meanwhile, so the documents may be of two generations.
    if (String(named) !== String(before)) continue;
    if (served instanceof Error) throw served;
    for (const file of recent) {
      if ((await fetchLocs(file)) === undefined && String(await readIndex()) === String(named)) {
        throw new Error(`${file}, which the domain's index names, is not served`);
      }
    }
    const files = [...[...served.values()].flatMap((sitemap) => sitemap.files), ...recent].sort();
    if (String(named) === String(files)) return served;
    throw new Error(`the domain's index names ${named.join(' ')}, but served are ${files.join(' ')}`);
  }
}

const isRecent = (path: string) => path.startsWith('/sitemap-recent.');

async function readSitemaps(fetchLocs: FetchLocs, history: History): Promise<Map<string, Served>> {
  const served = new Map<string, Served>();
  for (const name of history.sitemapNames) served.set(name, await readSitemap(fetchLocs, name, history));
  return served;
}

/** Checks that the API lists the same sitemaps, with the same numbers of URLs and files. */
export async function checkApi(
  { apiUrl, key, domainId }: { apiUrl: string; key: string; domainId: string },
  served: ReadonlyMap<string, Served>,
): Promise<void> {
  const answer = await send(`${apiUrl}/api/domains/${domainId}/sitemaps`, { headers: { 'X-API-Key': key } });
  if (answer.status !== 200) throw new Error(`the API answers ${answer.status}: ${answer.body}`);
  const listed: { name: string; urlCount: number; files: number }[] = JSON.parse(String(answer.body)).data;
  const said = listed.map(({ name, urlCount, files }) => `${name}: ${urlCount} URLs in ${files} files`);
  const seen = [...served].flatMap(([name, { state, files }]) =>
    state === ABSENT ? [] : [`${name || 'default'}: ${state.urlCount} URLs in ${files.length} files`],
  );
  if (String(said.sort()) !== String(seen.sort())) {
    throw new Error(`the API says "${said.join(', ')}", but served are "${seen.join(', ')}"`);
  }
}

interface ServedDocument {
  readonly isIndex: boolean;
  readonly locs: string[];
}
type FetchLocs = (path: string) => Promise<ServedDocument | undefined>;

async function readSitemap(fetchLocs: FetchLocs, name: string, history: History): Promise<Served> {
  const path = name === '' ? '/sitemap.xml' : `/sitemap-${name}.xml`;
  const root = await fetchLocs(path);
  const files = root?.isIndex ? root.locs.map(pathOf) : root === undefined ? [] : [path];
  const locs: string[] = root?.isIndex ? [] : (root?.locs ?? []);
  if (root?.isIndex) {
    for (const file of files) {
      const part = await fetchLocs(file);
      if (part === undefined || part.isIndex)
        throw new Error(`${file}, which ${path} names, is no list of URLs`);
      locs.push(...part.locs);
    }
  }
  const state = history.possible(name).find((possible) => isExactly(possible, locs, root !== undefined));
  if (state !== undefined) return { state, files };
  const possible = history.possible(name).map(describeState).join(', or ');
  throw new Error(`${path} should be ${possible}, but is ${describeLocs(locs, root !== undefined)}`);
}

function isExactly(state: State, locs: readonly string[], isThere: boolean): boolean {
  if (state === ABSENT) return !isThere;
  return isThere && locs.length === state.urlCount && locs.every((loc, place) => loc === urlOf(state, place));
}

const BEFORE_UPLOAD = /^https:\/\/www\.example\.com\/\w+\//;

/** As in: 1000 URLs u3/0–u3/999, 700 URLs u4/1000–u4/1699. */
function describeLocs(locs: readonly string[], isThere: boolean): string {
  if (!isThere) return ABSENT;
  const short = locs.map((loc) => loc.replace(BEFORE_UPLOAD, ''));
  const begins = short.flatMap((loc, at) => (follows(short[at - 1], loc) ? [] : [at]));
  const runs = begins.slice(0, 10).map((from, run) => {
    const end = begins[run + 1] ?? short.length;
    return `${end - from} URLs ${short[from]}–${short[end - 1]}`;
  });
  return runs.join(', ') || 'an empty list';
}

function follows(loc: string | undefined, next: string): boolean {
  const [upload, place] = loc?.split('/') ?? [];
  return next === `${upload}/${Number(place) + 1}`;
}

/** Undefined if there is no document. */
async function fetchDocument(
  hostingUrl: string,
  hostname: string,
  path: string,
): Promise<ServedDocument | undefined> {
  const answer = await send(hostingUrl + path, { headers: { Host: hostname } });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`);
  const root = readXml(String(answer.body));
  const locs = root.children.map(({ children }) => children[0]?.text ?? 'no loc');
  return { isIndex: root.name.endsWith(' sitemapindex'), locs };
}

const pathOf = (loc: string) => new URL(loc).pathname;
