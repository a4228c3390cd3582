/** Reports each request to an external host to the metrics: its purpose, its outcome and its duration. */
import { OutboundError, type OutboundFailure } from './outbound-error.ts';

/** The purpose of a request. */
export type OutboundKind =
  | 'webhook'
  | 'url submission'
  | 'key file'
  | 'robots.txt'
  | 'ping'
  | 'sign-in'
  | 'load';

/** The class of the answer's status, for example 2xx, or the failure. */
type OutboundOutcome = `${2 | 3 | 4 | 5}xx` | OutboundFailure;
export type ReportOutbound = (kind: OutboundKind, outcome: OutboundOutcome, seconds: number) => void;

/** Runs `ask`, and reports its outcome and its time. */
export async function reported<Answer extends { readonly status: number }>(
  report: ReportOutbound,
  kind: OutboundKind,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const startedAt = performance.now();
  let outcome: OutboundOutcome = 'unreachable';
  try {
    const answer = await ask();
    outcome = `${Math.floor(answer.status / 100)}xx` as OutboundOutcome;
    return answer;
  } catch (error) {
    if (error instanceof OutboundError) outcome = error.reason;
    throw error;
  } finally {
    report(kind, outcome, (performance.now() - startedAt) / 1000);
  }
}
