/** Finds query parameters that the service would refuse, by its description in test/openapi.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../architecture/import-graph.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

type Operations = Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>;

const { paths }: { readonly paths: Readonly<Record<string, Operations>> } = JSON.parse(
  readFileSync(join(PROJECT, 'test/openapi.json'), 'utf8'),
);
const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { parameters = [] }]) => ({
    method: method.toUpperCase(),
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    names: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
  })),
);

/** Returns a parameter that no operation at this path has. Returns undefined if the description does not have the path. */
export function unknownParameter(method: string, path: string, asked: Iterable<string>): string | undefined {
  const known = routes.filter((route) => route.method === method && route.pattern.test(path));
  if (known.length === 0) return undefined;
  return [...asked].find((name) => !known.some(({ names }) => names.includes(name)));
}
