/**
 * `paced-load.ts <PacedLoadOptions as JSON>`: an open-loop load. It sends requests at a steady rate, even if earlier requests have no
 * answer yet. So a slow server does not slow down the load that measures it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LeanConnection } from '../hosting/lean-connection.ts';
import { percentile } from '../statistics.ts';

export interface PacedLoadOptions {
  readonly port: number;
  /** Raw HTTP. */
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
  /**
   * Sends over TLS. Half of the requests use open connections, a quarter begin with a full handshake, and a quarter with
   * a resumed one. The time of these handshakes counts.
   */
  readonly secure?: { readonly hostname: string; readonly ca: string };
  /** The load runs for this long before `seconds` begin. */
  readonly warmUpMs?: number;
}

export interface PacedLoad {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests with another status than 200, or without an answer. Their time counts too. */
  readonly failed: number;
}

/** The longest wait for the last answers. */
const PATIENCE_MS = 5000;

type Kind = 'kept' | 'full' | 'resumed';

interface Sending {
  readonly kind: Kind;
  /** Undefined while the load warms up. */
  sentAt: number | undefined;
}

const options: PacedLoadOptions = JSON.parse(process.argv[2]!);
const { port, request, perSecond, seconds, secure, warmUpMs = 1000 } = options;
const KINDS: readonly Kind[] = secure === undefined ? ['kept'] : ['full', 'kept', 'resumed', 'kept'];
const idle: LeanConnection[] = [];
const times: number[] = [];
const underWay = new Map<Sending, Promise<void>>();
const startedAt = performance.now();
const endsAfterMs = warmUpMs + seconds * 1000;
let sent = 0;
let failed = 0;
let ticket: Buffer | undefined;

const pace = setInterval(() => {
  const elapsedMs = performance.now() - startedAt;
  if (elapsedMs > endsAfterMs) return void finish();
  for (; sent < (elapsedMs / 1000) * perSecond; sent++) {
    const kind = KINDS[sent % KINDS.length]!;
    const sending: Sending = { kind, sentAt: elapsedMs > warmUpMs ? performance.now() : undefined };
    underWay.set(sending, send(sending));
  }
}, 1);

async function send(sending: Sending): Promise<void> {
  let isGood = false;
  try {
    const connection = await (sending.kind === 'kept'
      ? keptConnection(sending)
      : openConnection(sending.kind));
    isGood = (await connection.exchange(request)) === 200;
    if (isGood && sending.kind === 'kept') idle.push(connection);
    else connection[Symbol.dispose]();
  } catch {
    // A refused or broken connection counts as failed.
  }
  count(sending, isGood);
}

async function keptConnection(sending: Sending): Promise<LeanConnection> {
  for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
    if (kept.isOpen) return kept;
  }
  const connection = await openConnection('kept');
  // Count only the time of the answer, without opening the connection.
  if (sending.sentAt !== undefined) sending.sentAt = performance.now();
  return connection;
}

function openConnection(kind: Kind): Promise<LeanConnection> {
  if (secure === undefined) return LeanConnection.open(port);
  const { hostname: servername, ca } = secure;
  const session = kind === 'resumed' && ticket !== undefined ? { session: ticket } : {};
  return LeanConnection.openSecurely(port, { servername, ca, ...session }, (newest) => {
    ticket = newest;
  });
}

function count(sending: Sending, isGood: boolean): void {
  if (!underWay.delete(sending) || sending.sentAt === undefined) return;
  times.push(performance.now() - sending.sentAt);
  if (!isGood) failed++;
}

async function finish(): Promise<void> {
  clearInterval(pace);
  await Promise.race([Promise.all(underWay.values()), delay(PATIENCE_MS)]);
  for (const sending of underWay.keys()) count(sending, false);
  const load: PacedLoad = { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99), failed };
  process.stdout.write(JSON.stringify(load), () => process.exit());
}
