/** Finds the settings that a program reads, from its sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingName } from '../../src/core/config/config.ts';
import { settingSchemas } from '../../src/core/config/settings.ts';
import { PROJECT, reachOf } from '../architecture/import-graph.ts';

export const SETTINGS = Object.keys(settingSchemas) as SettingName[];

/** The settings that the code of a program names, without comments. `program`: as in src/api-server.ts. */
export function settingsOf(program: string): SettingName[] {
  const sources = reachOf(program)
    .files.filter((file) => file !== 'src/core/config/settings.ts')
    .map((file) => readFileSync(join(PROJECT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
  const words = new Set(sources.flatMap((source) => source.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  return SETTINGS.filter((name) => words.has(name));
}

/** The longest that a program of this setting's prefix takes to end, in milliseconds, by the defaults of its settings. */
export function graceMs(...names: readonly SettingName[]): number {
  return names.reduce((sum, name) => sum + Number(settingSchemas[name].parse(undefined)), 0);
}
