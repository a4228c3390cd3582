/** Renews leases (`lease.ts`) while their work goes on, and aborts the work before another process can take them. */
import { steadyNow } from '../steady-clock.ts';
import { LeaseLost } from './lease.ts';

export interface HeldLease extends AsyncDisposable {
  /** Aborted with a LeaseLost. */
  readonly signal: AbortSignal;
  /**
   * Ends the renewals and frees the lease. If freeing fails, the lease ends when its time is over. The end of the scope calls `release`
   * too.
   */
  release(): Promise<void>;
}

export interface LeaseOptions<Held> {
  readonly lengthMs: number;
  /**
   * Renews all leases with one statement. Throws LeaseLost if none of them is ours. After any other error, the next renewal may succeed.
   */
  readonly renew: (held: readonly Held[]) => Promise<void>;
  readonly release?: (held: Held) => Promise<void>;
  readonly onFailure?: (error: unknown) => void;
}

/** The pause between renewals, as a part of the length of a lease. Two failed renewals in a row lose no lease. */
const RENEWED_EVERY = 1 / 4;
/**
 * The longest time without a renewal, as a part of the length of a lease. The rest is for the statement that took the lease, and for the
 * work to stop.
 */
const MAX_SILENCE = 7 / 8;

/**
 * Returns a function that holds a lease that was taken just now. All leases that the function holds at the same time are renewed together.
 */
export function holdLeases<Held>({
  lengthMs,
  renew,
  release = async () => {},
  onFailure = () => {},
}: LeaseOptions<Held>): (held: Held) => HeldLease {
  const leases = new Set<Lease<Held>>();
  let timer: NodeJS.Timeout | undefined;
  /** The renewal under way. There is one at a time, so a release knows which one to wait for. */
  let renewal: Promise<void> | undefined;

  /**
   * Counts the time of a lease anew. `sinceMs`: when the statement of the renewal began, or now for a new lease. The statement reads the
   * clock of the database later than `sinceMs`, so a renewed lease ends no sooner than we expect.
   */
  const lasts = (lease: Lease<Held>, sinceMs: number) => {
    clearTimeout(lease.silence);
    const giveUp = () => lease.lost.abort(new LeaseLost('the lease could not be renewed'));
    // After a stall of the process, the time may be over already. Node warns of negative times.
    lease.silence = setTimeout(giveUp, Math.max(1, sinceMs + lengthMs * MAX_SILENCE - steadyNow()));
  };
  const renewAll = async () => {
    const renewed = [...leases];
    const beganAt = steadyNow();
    try {
      await renew(renewed.map(({ held }) => held));
      for (const lease of renewed) lasts(lease, beganAt);
    } catch (error) {
      if (!(error instanceof LeaseLost)) return onFailure(error);
      for (const { lost } of renewed) lost.abort(error);
    }
  };
  const beginRenewal = () => {
    renewal ??= renewAll().finally(() => {
      renewal = undefined;
    });
  };

  return (held) => {
    const lease: Lease<Held> = { held, lost: new AbortController() };
    leases.add(lease);
    lasts(lease, steadyNow());
    timer ??= setInterval(beginRenewal, lengthMs * RENEWED_EVERY);
    const end = async () => {
      leases.delete(lease);
      if (leases.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      // Wait for a renewal under way, because a renewal after the release takes the lease again.
      await renewal;
      clearTimeout(lease.silence);
      await release(held).catch(() => {});
    };
    return { signal: lease.lost.signal, release: end, [Symbol.asyncDispose]: end };
  };
}

interface Lease<Held> {
  readonly held: Held;
  readonly lost: AbortController;
  silence?: NodeJS.Timeout;
}

/** Holds one lease that was taken just now. */
export function holdLease(options: LeaseOptions<undefined>): HeldLease {
  return holdLeases(options)(undefined);
}
