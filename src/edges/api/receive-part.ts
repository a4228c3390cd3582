/** Receives a part of an upload session, and logs it. */
import type { Request, Response } from 'express';
import { sentDigest } from '../../core/web/sent-digest.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { AcceptedPart } from '../../features/uploads/sessions/accept-part.ts';
import { MAX_PARTS } from '../../features/uploads/sessions/session.ts';
import { invalidField } from '../../platform/refusal.ts';
import { readBodyType } from './body-type.ts';
import { countingLimits, takeBody } from './take-body.ts';
import type { UploadNeeds } from './upload-operations.ts';
import { uploaderOf } from './uploader-of.ts';

type Shared = 'plans' | 'log' | 'reports' | 'uploadSlots' | 'uploadLimits';

export interface PartNeeds extends Pick<UploadNeeds, Shared> {
  readonly uploads: Pick<Uploads, 'acceptPart' | 'acceptSmallPart'>;
}

/** Throws Refusal. */
export async function receivePart(
  needs: PartNeeds,
  caller: Caller,
  path: { readonly id: string; readonly part: string },
  request: Request,
  response: Response,
): Promise<AcceptedPart> {
  const { uploads, uploadSlots, log } = needs;
  const startedAt = performance.now();
  const uploader = uploaderOf(needs, caller);
  const counts = { bytesReceived: 0, urlCount: 0, fileCount: 0, rejected: 0 };
  const digest = sentDigest(request);
  const counting = countingLimits(needs, { counts });
  const received = (chunk: Uint8Array) => {
    counting.received(chunk);
    digest?.add(chunk);
  };
  const limits = { ...counting, received };
  const head = { sessionId: path.id, part: parsePart(path.part), ...readBodyType(request) };
  const watch = { check: () => digest?.check() };
  const accepted = await takeBody(
    { uploadSlots, limits, kind: 'part' },
    { caller, request, response },
    {
      large: (body) => uploads.acceptPart(uploader, head, counts, body, watch),
      small: (body) => uploads.acceptSmallPart(uploader, head, counts, body, watch),
    },
  );
  const { requestId } = response.locals;
  const { part, urlCount: urls, rejected, gzipBytes, hostname } = accepted;
  const durationMs = Math.round(performance.now() - startedAt);
  const { accountId, keyId } = caller;
  log.info(
    {
      requestId,
      accountId,
      keyId,
      hostname,
      sessionId: path.id,
      part,
      urls,
      rejected,
      gzipBytes,
      durationMs,
    },
    'part received',
  );
  return accepted;
}

function parsePart(given: string): number {
  const part = /^[1-9]\d{0,4}$/.test(given) ? Number(given) : 0;
  if (part >= 1 && part <= MAX_PARTS) return part;
  throw invalidField('part', given, `must be a whole number from 1 to ${MAX_PARTS.toLocaleString('en-US')}`);
}
