/**
 * Tells a WebSub hub that a feed has a new version (W3C Recommendation WebSub, section 6). The form of the request is the one that present
 * hubs take. A failed ping is not sent again, because the next version of the feed sends a new ping.
 */
import type { AskOutside } from '../../platform/http/outbound.ts';

/** The most time for a ping, because a hub may hang. */
const TIMEOUT_MS = 5000;
/** The most pings under way at once. A further ping is dropped. */
const AT_ONCE = 16;

/** Returns a function that sends a ping for the feed at an address, and does not wait for the answer. */
export function createPingHub(ask: AskOutside, hub: string): (feed: string) => void {
  let underWay = 0;
  return (feed) => {
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
}
