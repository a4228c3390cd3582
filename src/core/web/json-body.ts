/** Reads the members of small JSON bodies, with the same strict reader as uploads. */
import type { Request, Response } from 'express';
import { readDocument } from '../../platform/json/json-document.ts';
import { Refusal } from '../../platform/refusal.ts';
import { butIs, mediaType } from './media-type.ts';
import { receiveBody } from './request-body.ts';

const BODY_TIMEOUT_MS = 30_000;

/**
 * Returns the members that the body has, by name. `memberBytes`: the longest value of a member; 16 KiB by default. Throws Refusal for a
 * malformed body, and for a member that is not in `members`.
 */
export async function readMembers(
  request: Request,
  response: Response,
  members: readonly string[],
  maxBytes: number,
  memberBytes?: number,
): Promise<ReadonlyMap<string, unknown>> {
  requireJson(request);
  const body = receiveBody(request, response, { maxBytes, timeoutMs: BODY_TIMEOUT_MS });
  const found = new Map<string, unknown>();
  const shape = { members, refusesUnknown: true, ...(memberBytes !== undefined && { memberBytes }) };
  for await (const part of readDocument(body, shape)) {
    if (part.kind === 'member') found.set(part.name, part.value);
  }
  return found;
}

/** Throws Refusal BAD_REQUEST unless Content-Type is JSON in UTF-8. */
export function requireJson(request: Request): void {
  if (mediaType(request) === 'application/json') return;
  throw new Refusal('BAD_REQUEST', `Content-Type must be application/json, in UTF-8.${butIs(request)}`);
}
