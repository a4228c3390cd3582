import type { Config } from '../core/config/config.ts';
import { KeyRing } from '../platform/key-ring.ts';

/** Returns the keys that seal certificates and connections; undefined if the configuration has none. */
export function keyRingOf({ CERTIFICATE_KEYS }: Config): KeyRing | undefined {
  return CERTIFICATE_KEYS && new KeyRing(CERTIFICATE_KEYS.reveal());
}
