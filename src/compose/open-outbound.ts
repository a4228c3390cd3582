/** Opens the client for requests of a process to other people's hosts. */
import packageJson from '../../package.json' with { type: 'json' };
import { createOutboundMetrics } from '../operations/outbound-metrics.ts';
import { createAddressLookup } from '../platform/dns/address-lookup.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { type AskOutside, createAskOutside } from '../platform/http/outbound.ts';
import type { ProcessOptions } from './open-process.ts';

export function openOutbound({ config, metrics }: Pick<ProcessOptions, 'config' | 'metrics'>): AskOutside {
  const { OUTBOUND_CONTACT: contact, OUTBOUND_ALLOWED_RANGES: allowedRanges, DNS_SERVERS } = config;
  return createAskOutside({
    allowedRanges,
    userAgent: `Waypost/${packageJson.version}${contact === undefined ? '' : ` (+${contact})`}`,
    lookup: createAddressLookup(createLookUp(DNS_SERVERS)),
    report: createOutboundMetrics(metrics),
  });
}
