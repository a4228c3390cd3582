/**
 * Tells a WebSub hub that a feed has a new version (W3C Recommendation WebSub, section 6, in the form that hubs of today take). A ping that
 * fails is not sent again: the next version sends a new ping.
 */
import type { AskOutside } from '../../platform/http/outbound.ts';

/** Pings to a hub that hangs end after this time. */
const TIMEOUT_MS = 5000;
/** The most pings under way at once. Further pings are not sent. */
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
