/**
 * The name that a customer's CNAME record must point to. It differs for every account and hostname, so a record that
 * a former owner left behind never verifies for another account.
 */
import { createHmac } from 'node:crypto';
import type { Secret } from '../../platform/secret.ts';

/** The alphabet of RFC 4648, section 6, in lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 160 bits are 32 characters without padding, which fit into a label. */
const DIGEST_BYTES = 20;

export interface CnameTargets {
  readonly base: string;
  readonly secret: Secret;
}

export function cnameTargetFor(targets: CnameTargets, accountId: string, hostname: string): string {
  const digest = createHmac('sha256', targets.secret.reveal()).update(`${accountId} ${hostname}`).digest();
  return `${base32(digest.subarray(0, DIGEST_BYTES))}.${targets.base}`;
}

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!);
}
