import { ConfigError } from '../platform/process/config-error.ts';

/** The command cannot fulfil the operator's request. The message says why. */
export class UsageError extends ConfigError {}

export function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}. See: account list`);
}

export function noDomain(hostname: string): UsageError {
  return new UsageError(`There is no domain ${hostname}.`);
}

/** `yes`: the option of the same name. */
export function requireYes(yes: boolean | undefined, what: string): void {
  if (!yes) throw new UsageError(`This permanently deletes ${what}. Add --yes to confirm.`);
}
