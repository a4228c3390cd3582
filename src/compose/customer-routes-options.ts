/** Makes the options of the routes for customers, which the API and the dashboard share. */
import { createCursors } from '../core/web/cursors.ts';
import type { BodyLimits } from '../core/web/request-body.ts';
import type { HookNeeds } from '../edges/api/hook-routes.ts';
import type { CustomerNeeds } from '../edges/api/operations.ts';
import type { ApiReports } from '../edges/api/reports.ts';
import { createSendLines } from '../edges/api/send-lines.ts';
import { createAddressRule } from '../platform/http/public-address.ts';
import { newId } from '../platform/ids.ts';
import type { ApiTerms, Rooms } from './open-rooms.ts';

export interface CustomerTerms extends ApiTerms {
  readonly rooms: Rooms;
  readonly reports: ApiReports;
  readonly uploadLimits: BodyLimits;
}

export type CustomerOptions = ReturnType<typeof customerRoutesOptions>;

export function customerRoutesOptions(needs: CustomerTerms) {
  const { config, log, cnameTargets, rooms, reports, uploadLimits } = needs;
  const { publicOrigin, secureOrigin, livePlans } = needs;
  const { plans } = livePlans;
  return {
    ...{ ...rooms, publicOrigin, secureOrigin, plans, log, newId, reports, uploadLimits },
    ownDomain: rooms.domains.getOwn,
    uploadSlots: rooms.admission.uploadSlots,
    emitRefused: rooms.webhooks.emitRefusedUpload,
    cursors: createCursors(cnameTargets.secret),
    maxBodyBytes: config.MAX_BODY_BYTES,
    sendLines: createSendLines(),
    submitsUrls: rooms.submission.isConfigured,
    ping: { ask: rooms.ask, pingUrl: config.PING_URL },
    now: () => new Date(),
    webhookSecret: config.WEBHOOK_SECRET,
    isAllowedAddress: createAddressRule(config.OUTBOUND_ALLOWED_RANGES),
  } satisfies CustomerNeeds & HookNeeds;
}
