import { ConfigError } from '../platform/process/config-error.ts';

/** The error of a command that cannot fulfil the operator's request. The message says why. */
export class UsageError extends ConfigError {}

export function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}. See: account list`);
}

export function noDomain(hostname: string): UsageError {
  return new UsageError(`There is no domain ${hostname}.`);
}

/** Throws UsageError unless the operator has confirmed the deletion by `--yes`. */
export function requireYes(yes: boolean | undefined, what: string): void {
  if (!yes) throw new UsageError(`This permanently deletes ${what}. Add --yes to confirm.`);
}
