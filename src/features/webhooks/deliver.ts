/**
 * Delivers one event to one endpoint by Standard Webhooks 1.0: sign → POST → record. Chats and mail addresses get a message for people.
 * Of the answers to a POST, only 2xx is a success. After any other answer, or none, another attempt follows (`retry-schedule.ts`). If the
 * process dies at any point, the delivery comes once more, with the same id.
 */
import type { Turns } from '../../platform/concurrency/turns.ts';
import { type AskOutside, OutboundError } from '../../platform/http/outbound.ts';
import { retryAfterMs } from '../../platform/http/retry-after.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Secret } from '../../platform/secret.ts';
import { currentTraceparent, withStoredTrace } from '../../platform/trace/trace-context.ts';
import type { Attempt, TakenDelivery } from './delivery.ts';
import { signatureHeaders } from './endpoint-secret.ts';
import { composeMail } from './mail/compose-mail.ts';
import type { SendMail } from './mail/send-mail.ts';
import { chatBody } from './messages/chat-bodies.ts';
import { messageOf } from './messages/message-of.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { endLease, recordAttempt } from './take-deliveries.ts';

export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up' | 'disabled';

export interface DeliverOptions {
  readonly database: Database;
  /** The turns in which results are recorded: hundreds may come at once, and other work needs connections to the database too. */
  readonly recordTurns: Turns;
  readonly ask: AskOutside;
  /** The secret from which the secrets of all endpoints are derived. */
  readonly master: Secret;
  /** The origin of the dashboard, if it is known: for links in messages. */
  readonly dashboardOrigin: string | undefined;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Undefined: the operator has no mail server. */
  readonly sendMail?: SendMail | undefined;
  readonly log: Log;
  readonly report: (outcome: DeliveryOutcome) => void;
}

const TIMEOUT_MS = 20_000;
/** The time from which an attempt counts as slow. Most receivers answer within a second. */
const SLOW_MS = 2_000;

/** Makes one attempt and records the result. `signal`: aborts when the process ends. */
export async function deliver(
  options: DeliverOptions,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { database, recordTurns, log, report } = options;
  const attempt = await tryOnce(options, delivery, signal);
  if (attempt === undefined) return endLease(database, delivery);
  const isDisabled = await recordTurns.run(delivery.accountId, () =>
    recordAttempt(database, delivery, attempt),
  );
  // Another process took over after the lease was lost, and reports the outcome. Or the delivery was deleted meanwhile.
  if (isDisabled === undefined) return;
  report(outcomeOf(attempt, isDisabled));
  if (!isDisabled) return;
  const { endpointId: webhookId, accountId } = delivery;
  log.info({ webhookId, accountId, status: attempt.status }, 'webhook disabled');
}

function outcomeOf({ isDelivered, retryMs }: Attempt, isDisabled: boolean): DeliveryOutcome {
  if (isDelivered) return 'delivered';
  if (isDisabled) return 'disabled';
  return retryMs === undefined ? 'given_up' : 'failed';
}

/** Sends the request or the mail. Returns undefined when the end of the process aborted the request. */
async function tryOnce(
  options: DeliverOptions,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { ask, master, random, dashboardOrigin } = options;
  const startedAt = performance.now();
  const end = (
    isDelivered: boolean,
    ended: { status: number | null; error: string | null; afterMs?: number; isGone?: boolean },
  ) => {
    const isSlow = performance.now() - startedAt > SLOW_MS;
    const { status, error, afterMs, isGone = status === 410 } = ended;
    const again = { retryAfterMs: afterMs, random: random() };
    const retryMs = isDelivered ? undefined : retryDelayMs(delivery.attempts + 1, again);
    return { isDelivered, status, error, isSlow, isGone, retryMs };
  };
  if (delivery.format === 'email') {
    // The event may have been written for the former address, which was proved. The new address may belong to anybody.
    if (!delivery.isProven && delivery.type !== 'mail.proof') {
      return end(false, { status: null, error: 'The address is not confirmed.', isGone: false });
    }
    // The queue of mails runs only in processes with `sendMail` and `dashboardOrigin`.
    const mail = composeMail(delivery, master, dashboardOrigin!);
    const { isSent, code, error, isGone } = await options.sendMail!(mail);
    return end(isSent, { status: code, error, isGone });
  }
  try {
    const { status, headers } = await ask({ ...requestOf(master, delivery, dashboardOrigin), signal });
    if (status < 300) return end(true, { status, error: null });
    const afterMs = retryAfterMs(headers['retry-after']);
    return end(false, { status, error: refusalOf(status), ...(afterMs !== undefined && { afterMs }) });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === 'aborted') return undefined;
    return end(false, { status: null, error: `No answer: ${error.message}.` });
  }
}

function requestOf(master: Secret, delivery: TakenDelivery, dashboardOrigin: string | undefined) {
  const { endpointId, eventId, url, secretVersions, traceparent, now } = delivery;
  const trace = withStoredTrace(traceparent, currentTraceparent);
  const body = bodyOf(delivery, dashboardOrigin);
  const timestamp = Math.floor(now.getTime() / 1000);
  const signed = signatureHeaders(master, { endpointId, eventId, timestamp, body }, secretVersions);
  return {
    kind: 'webhook',
    url,
    body,
    headers: {
      'Content-Type': 'application/json',
      ...signed,
      ...(trace !== null && { traceparent: trace }),
    },
    timeoutMs: TIMEOUT_MS,
    // Only the status counts, so no body is read.
    maxBodyBytes: 0,
  } as const;
}

function bodyOf(
  { format, type, data, happenedAt }: TakenDelivery,
  dashboardOrigin: string | undefined,
): string {
  if (format === 'json' || format === 'email') {
    return `{"type":${JSON.stringify(type)},"timestamp":"${isoSeconds(happenedAt)}","data":${data}}`;
  }
  return chatBody(format, messageOf(type, JSON.parse(data), dashboardOrigin));
}

function refusalOf(status: number): string {
  const why = status < 400 ? ' Redirects are not followed.' : '';
  return `The receiver answered ${status}.${why}`;
}
