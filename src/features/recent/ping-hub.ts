/**
 * Tells a WebSub hub that a feed has a new version (W3C Recommendation WebSub, section 6). The form of the request is the one that present
 * hubs take. A failed ping is not sent again, because the next version of the feed sends a new ping.
 */
import type { AskOutside } from '../../platform/http/outbound.ts';

/** The most time for a ping, because a hub may hang. */
const TIMEOUT_MS = 5000;
/**
 * The pause before a ping. Hubs fetch the feed at once, and compare it with the one before. Hosting may serve the former version for this
 * long, so a hub that comes earlier takes the feed for unchanged.
 */
const SHOWN_AFTER_MS = 2000;
/** The pause before another look whether the site shows the new version. */
const LOOK_EVERY_MS = 10_000;
/** The most looks. After an hour, the next version of the feed sends a ping. */
const MAX_LOOKS = 360;
/** The most pings under way at once. A further ping is dropped. */
const AT_ONCE = 16;

/**
 * Returns a function that sends a ping for the feed at an address once `isShown` says that the site shows the feed. The function does not
 * wait for the answer. If the site could not be written, a sweep writes it later, and a hub that comes before the sweep finds nothing new.
 * A process that ends drops the pings that it has not sent. `afterMs` and `lookEveryMs` are for tests.
 */
export function createPingHub(
  ask: AskOutside,
  hub: string,
  afterMs = SHOWN_AFTER_MS,
  lookEveryMs = LOOK_EVERY_MS,
): (feed: string, isShown: () => Promise<boolean>) => void {
  let underWay = 0;
  const send = (feed: string) => {
    if (underWay === AT_ONCE) return;
    underWay++;
    const request = {
      kind: 'ping',
      url: hub,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ 'hub.mode': 'publish', 'hub.url': feed }).toString(),
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: 0,
      isOurs: true,
    } as const;
    const ping = ask(request).catch(() => {
      // The metric of requests to hosts of others counts the failure.
    });
    void ping.finally(() => {
      underWay--;
    });
  };
  const later = (ms: number, work: () => unknown) => void setTimeout(work, ms).unref();
  return (feed, isShown) => {
    const sendWhenShown = async (looks: number): Promise<void> => {
      // If the database does not answer, look again later.
      const isNow = await isShown().catch(() => false);
      if (isNow && looks === 1) send(feed);
      else if (isNow) later(afterMs, () => send(feed));
      else if (looks < MAX_LOOKS) later(lookEveryMs, () => sendWhenShown(looks + 1));
    };
    later(afterMs, () => sendWhenShown(1));
  };
}
