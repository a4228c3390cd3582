/** Logs the API's failures and refusals. Any client can cause them, so each kind is limited to LINES in 10 s. */
import type { Log } from '../../platform/log.ts';
import { type Rarity, sayRarely } from '../../platform/say-rarely.ts';
import { steadyNow } from '../../platform/steady-clock.ts';

/** The most lines of a kind in a period. In quiet times, each request gets its line. In a flood, the log stays readable. */
const LINES = 20;

export function createWebComplaints(log: Log, now = steadyNow) {
  const rarely = <Subject>(say: (subject: Subject, rarity: Rarity) => void) =>
    sayRarely(say, { lines: LINES, now });
  const tell = <Details extends object>(level: 'info' | 'warn', message: string) =>
    rarely<Details>((details, { unsaid }) => {
      const told: object = { ...details, unsaid };
      log[level](told, message);
    });
  return {
    requestFailed: rarely<{ err: unknown }>(({ err, ...details }, { unsaid, isFirst }) => {
      // Only the first line of a period has a stack. The stacks after it are mostly the same.
      const told = isFirst ? err : messageOf(err);
      log.error({ err: told, ...details, unsaid }, 'request failed');
    }),
    clientGone: tell('info', 'client gone'),
    authenticationFailed: tell<{ client: string }>('info', 'authentication failed'),
    clientBlocked: tell<{ client: string; seconds: number }>(
      'warn',
      'client blocked: too many failed authentications',
    ),
    accountLimited: tell<{ accountId: string; plan: string; requestsPerMinute: number }>(
      'info',
      'account over its limit of requests: its plan has the limits',
    ),
    accessRefused: tell('info', 'access refused'),
  };
}

export type WebComplaints = ReturnType<typeof createWebComplaints>;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
