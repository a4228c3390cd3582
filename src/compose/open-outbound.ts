/** Opens the clients for requests of a process to other people's hosts: one for whole answers, and one that reads objects of any length. */
import packageJson from '../../package.json' with { type: 'json' };
import { createOutboundMetrics } from '../operations/outbound-metrics.ts';
import { createAddressLookup } from '../platform/dns/address-lookup.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { type AskOutside, createAskOutside, type OutboundOptions } from '../platform/http/outbound.ts';
import { createReadOutside, type ReadOutside } from '../platform/http/read-outside.ts';
import type { ProcessOptions } from './open-process.ts';

type OpenOutboundOptions = Pick<ProcessOptions, 'config' | 'metrics'>;

export function openOutbound(options: OpenOutboundOptions): AskOutside {
  return createAskOutside(outboundOptions(options));
}

/** Opens the client that reads objects of any length. */
export function openOutboundReads(options: OpenOutboundOptions): ReadOutside {
  return createReadOutside(outboundOptions(options));
}

function outboundOptions({ config, metrics }: OpenOutboundOptions): OutboundOptions {
  const { OUTBOUND_CONTACT: contact, OUTBOUND_ALLOWED_RANGES: allowedRanges, DNS_SERVERS } = config;
  return {
    allowedRanges,
    userAgent: `Waypost/${packageJson.version}${contact === undefined ? '' : ` (+${contact})`}`,
    lookup: createAddressLookup(createLookUp(DNS_SERVERS)),
    report: createOutboundMetrics(metrics),
  };
}
