import { ConfigError } from '../platform/process/config-error.ts';

/** What the operator asked for cannot be done; the message says why. */
export class UsageError extends ConfigError {}
