/** The requests of every operation that takes a key, made of the API's description: with all ids, hostnames and names. */
import { type DescribedOperation, readDescription } from '../../support/api-description.ts';
import { WORDS } from './filled-world.ts';

export interface KeyOperation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly access: { readonly actions: readonly string[]; readonly to: string };
}

/** The names and ids that requests can contain. */
export interface Named {
  readonly domains: readonly string[];
  readonly hostnames: readonly string[];
  readonly sitemaps: readonly string[];
  readonly uploads: readonly string[];
  readonly sessions: readonly string[];
  readonly webhooks: readonly string[];
  readonly connections: readonly string[];
}

export interface MadeRequest {
  /** The route, as in GET /api/domains. */
  readonly route: string;
  readonly body?: object;
  /** All that it names. */
  readonly names: readonly string[];
}

interface Access {
  readonly 'x-waypost-access'?: KeyOperation['access'];
}

export const KEY_OPERATIONS: readonly KeyOperation[] = Object.entries(readDescription().paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security === undefined)
      .map(([method, operation]) => ({
        ...operation,
        ...{ method: method.toUpperCase(), path },
        access: (operation as Access)['x-waypost-access']!,
      })),
);

/** A URL of a sitemap outside of most scopes. */
export const ASKED_URL = `https://www.example.com/${WORDS.ownOther}/1`;

/** The ids that stand behind the start of a path. */
const IDS: Readonly<Record<string, keyof Named>> = {
  '/api/domains/{id}': 'domains',
  '/api/uploads/{id}': 'uploads',
  '/api/upload-sessions/{id}': 'sessions',
  '/api/webhooks/{id}': 'webhooks',
};

export function requestsOf(operation: KeyOperation, named: Named): MadeRequest[] {
  const { method, path, requestBody } = operation;
  const example = requestBody?.content['application/json']?.example as Record<string, unknown> | undefined;
  return pathsOf(path, named).flatMap(({ path: filled, names }) =>
    membersOf(operation, example, named).map(({ query, body, names: more }) => ({
      route: `${method} ${filled}${query}`,
      ...(body !== undefined && { body }),
      names: [...names, ...more],
    })),
  );
}

function pathsOf(path: string, named: Named): { path: string; names: string[] }[] {
  const start = Object.keys(IDS).find((known) => path.startsWith(known));
  if (path.includes('{id}') && start === undefined) throw new Error(`nothing is known of ${path}`);
  const ids = start === undefined ? [''] : named[IDS[start]!];
  const names = path.includes('{name}') ? named[namesOf(path)] : [''];
  return ids.flatMap((id) =>
    names.map((name) => ({
      path: path
        .replace('{id}', id)
        .replace('{name}', name)
        .replace('{part}', '2')
        .replace('{event}', 'event_2c4v8PXeY16He1Yn79PlDs'),
      names: [id, name].filter((one) => one !== ''),
    })),
  );
}

function namesOf(path: string): keyof Named {
  if (path.startsWith('/api/connections/{name}')) return 'connections';
  if (path.startsWith('/api/domains/{id}/sitemaps/{name}')) return 'sitemaps';
  throw new Error(`nothing is known of the name in ${path}`);
}

/** `domain` and `sitemapName` stand in the body or in the query. A query needs `url` or `hostname`, too. */
function membersOf({ parameters }: KeyOperation, example: Record<string, unknown> | undefined, named: Named) {
  const inQuery = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  const given: Record<string, string> = {
    ...(inQuery.includes('url') && { url: ASKED_URL }),
    ...(inQuery.includes('hostname') && { hostname: named.hostnames.join() }),
  };
  const bare = { query: queryOf(given), body: example, names: [] as string[] };
  if (example !== undefined && 'hostname' in example) {
    return named.hostnames.map((hostname) => ({
      ...bare,
      body: { ...example, hostname },
      names: [hostname],
    }));
  }
  const takesDomain = inQuery.includes('domain') || (example !== undefined && 'domain' in example);
  if (!takesDomain) return [bare];
  const places = named.hostnames.flatMap((domain) =>
    named.sitemaps.map((sitemapName) => ({ domain, sitemapName })),
  );
  const { domain: _, sitemapName: __, ...rest } = example ?? {};
  return [
    ...(example === undefined ? [bare] : []),
    ...places.flatMap(({ domain, sitemapName }) => {
      const names = [domain, sitemapName];
      const takesName = inQuery.includes('sitemapName');
      return [
        ...(inQuery.includes('domain')
          ? [
              {
                query: queryOf({ ...given, domain, ...(takesName && { sitemapName }) }),
                body: example && rest,
                names: takesName ? names : [domain],
              },
            ]
          : []),
        ...(example === undefined
          ? []
          : [{ query: queryOf(given), body: { ...rest, domain, sitemapName }, names }]),
      ];
    }),
  ];
}

const queryOf = (given: Readonly<Record<string, string>>) =>
  Object.keys(given).length === 0 ? '' : `?${new URLSearchParams(given)}`;
