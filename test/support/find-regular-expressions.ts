/** Finds the regular expressions of source files: literals, and expressions that a module builds during its import. */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { vi } from 'vitest';
import { parseAst } from 'vitest/node';

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

interface FoundExpressions {
  readonly literals: Expression[];
  /** The number of `RegExp(…)` calls in the source. */
  readonly constructions: number;
}

export async function findExpressions(file: string): Promise<FoundExpressions> {
  const found = { literals: [] as Expression[], constructions: 0 };
  visit(parseAst(stripTypeScriptTypes(await readFile(file, 'utf8'))), (node) => {
    const regex = node.regex as { pattern: string; flags: string } | undefined;
    if (regex) found.literals.push({ source: regex.pattern, flags: regex.flags });
    const { name } = (node.callee ?? {}) as { name?: string };
    if (name === 'RegExp') found.constructions += 1;
  });
  return found;
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) see(node as Record<string, unknown>);
  for (const child of Object.values(node)) visit(child, see);
}

/** Returns the expressions that modules build during their import, by file. Imports them anew: they may be loaded already. */
export async function constructedOnImport(files: readonly string[]): Promise<Map<string, Expression[]>> {
  const built = new Map<string, Expression[]>(files.map((file) => [file, []]));
  const record = <Built extends RegExp>(expression: Built): Built => {
    const [caller = ''] = (new Error().stack ?? '').split('\n').slice(3);
    const file = files.find((name) => caller.includes(resolve(name)));
    if (file !== undefined) built.get(file)?.push({ source: expression.source, flags: expression.flags });
    return expression;
  };
  vi.resetModules();
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, args) => record(Reflect.construct(target, args)),
    apply: (target, self, args) => record(Reflect.apply(target, self, args)),
  });
  try {
    for (const file of files) await import(resolve(file));
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}
