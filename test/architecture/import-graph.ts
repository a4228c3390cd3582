/** The files and packages that a program loads, from the source as Node runs it: without types. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { init, parse } from 'es-module-lexer';

await init;

export const PROJECT = resolve(import.meta.dirname, '../..');

export interface Reach {
  /** Paths from the project's root. The program itself comes first. */
  readonly files: readonly string[];
  /** Packages that these files import, and all packages that those need in turn. */
  readonly packages: ReadonlySet<string>;
  /** The packages that the files import themselves. */
  readonly imported: ReadonlySet<string>;
  /** For each file or package, the file that imported it first. */
  readonly importedBy: ReadonlyMap<string, string>;
}

/** `program`: as in src/cli.ts. */
export function reachOf(program: string): Reach {
  const files = [program];
  const importedBy = new Map<string, string>();
  const imported = new Set<string>();
  for (const file of files) {
    for (const specifier of loadedBy(file)) {
      const isFile = specifier.startsWith('.');
      if (isFile && !specifier.endsWith('.ts')) continue;
      const target = isFile ? join(dirname(file), specifier) : packageOf(specifier);
      if (target === undefined || importedBy.has(target) || target === program) continue;
      importedBy.set(target, file);
      if (isFile) files.push(target);
      else imported.add(target);
    }
  }
  return { files, imported, packages: withDependencies(imported), importedBy };
}

/** The chain of imports from the program to `target`. */
export function pathTo(target: string, { importedBy }: Reach): string[] {
  const path = [target];
  for (let at = importedBy.get(target); at !== undefined; at = importedBy.get(at)) path.unshift(at);
  return path;
}

const loaded = new Map<string, readonly string[]>();

/** The imports that remain after Node strips the types, including dynamic ones. */
function loadedBy(file: string): readonly string[] {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(join(PROJECT, file), 'utf8');
  const [imports] = parse(stripTypeScriptTypes(source));
  const found = imports.flatMap((each) => ('specifier' in each ? (each.specifier ?? []) : []));
  loaded.set(file, found);
  return found;
}

/** All imports of a file, including types. Files are paths from the project's root, packages are names. */
export function importsOf(file: string): string[] {
  const source = readFileSync(join(PROJECT, file), 'utf8');
  return [...source.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)';/gm)].flatMap(([, specifier]) => {
    if (specifier!.startsWith('.')) return [relative('.', join(dirname(file), specifier!))];
    return packageOf(specifier!) ?? [];
  });
}

/** Undefined for modules built into Node. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The packages that each package needs itself, whichever of its versions. */
const needed = new Map<string, string[]>();
const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
for (const [path, { dependencies = {} }] of Object.entries<LockedPackage>(lock.packages)) {
  const name = path.split('node_modules/').at(-1)!;
  needed.set(name, [...(needed.get(name) ?? []), ...Object.keys(dependencies)]);
}

function withDependencies(imported: ReadonlySet<string>): Set<string> {
  const all = new Set(imported);
  for (const name of all) for (const dependency of needed.get(name) ?? []) all.add(dependency);
  return all;
}
