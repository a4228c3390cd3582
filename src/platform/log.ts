/** Structured logs (one JSON line each, on standard error, so that standard output stays for people). */
import { type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export function createLog(process: string, level: string): Logger {
  return pino({ level, base: { process } }, pino.destination({ dest: 2, sync: true }));
}
