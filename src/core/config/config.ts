/**
 * Reads and checks all settings. Each process names the settings that it requires. All problems are reported at once, each with the
 * variable and its meaning.
 */
import { z } from 'zod';
import { ConfigError } from '../../platform/process/config-error.ts';
import { settingSchemas } from './settings.ts';

const settingsSchema = z.object(settingSchemas);

export type Config = Readonly<z.infer<typeof settingsSchema>>;
export type SettingName = keyof Config;

/** A configuration in which the named settings are present. */
export type ConfigWith<Name extends SettingName> = Config & {
  readonly [K in Name]-?: NonNullable<Config[K]>;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks the environment. An empty variable counts as absent. Throws ConfigError. */
export function readConfig<Name extends SettingName = never>(
  environment: Environment,
  required: readonly Name[] = [],
): ConfigWith<Name> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const parsed = settingsSchema.safeParse(present);
  const wrong = (parsed.error?.issues ?? []).map((issue) => {
    const name = issue.path[0] as SettingName;
    return `${name}: ${issue.message}. ${settingSchemas[name].description}.`;
  });
  const missing = required
    .filter((name) => (present[name] ?? settingSchemas[name].safeParse(undefined).data) === undefined)
    .map((name) => `${name} is not set. ${settingSchemas[name].description}.`);
  const problems = [...wrong, ...missing];
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(['The configuration is not valid:', ...problems].join('\n  '));
  }
  return Object.freeze(parsed.data) as ConfigWith<Name>;
}
