/** A log that keeps every line in memory. */
import type { Log } from '../../src/platform/log.ts';

export interface CollectedLog extends Log {
  readonly lines: { readonly level: string; readonly details: unknown; readonly message: string }[];
}

export function collectLog(): CollectedLog {
  const lines: CollectedLog['lines'] = [];
  const at = (level: string) => (details: unknown, message?: string) => {
    lines.push({ level, details, message: message ?? String(details) });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
