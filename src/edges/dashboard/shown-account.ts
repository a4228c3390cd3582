/**
 * Checks the header Waypost-Account, the account that a page shows. All tabs of a browser share the session and its account.
 * After a switch in another tab, a page must not change an account that it does not show.
 */
import type { Request } from 'express';
import { Refusal } from '../../platform/refusal.ts';

const ACCOUNT_HEADER = 'Waypost-Account';

/** Throws Refusal CONFLICT if the header names another account. A request without the header passes. */
export function requireShownAccount(request: Request, accountId: string): void {
  const shown = request.get(ACCOUNT_HEADER);
  if (shown === undefined || shown === accountId) return;
  const message =
    'You have switched to another account in another tab, so nothing was done here. Load this page again.';
  throw new Refusal('CONFLICT', message, { details: { field: ACCOUNT_HEADER } });
}
