/** Takes the body of an upload, a delta or a part: a small body into memory, a larger one in an upload slot. */
import type { Request, Response } from 'express';
import { type BodyLimits, receiveBody } from '../../core/web/request-body.ts';
import { readSmallBody, smallBodyBytes } from '../../core/web/small-body.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { SlotKind, UploadSlots } from '../../features/accounts/upload-slots.ts';
import type { Attempt } from '../../features/uploads/attempt.ts';
import type { ApiReports } from './reports.ts';

/** Returns the limits of an upload's body. They also count the received bytes in the attempt and in the reports. */
export function countingLimits(
  { uploadLimits, reports }: { readonly uploadLimits: BodyLimits; readonly reports: ApiReports },
  { counts }: Pick<Attempt, 'counts'>,
) {
  const received = ({ length }: Uint8Array) => {
    counts.bytesReceived += length;
    reports.received(length);
  };
  return { ...uploadLimits, received };
}

interface TakeBodyOptions {
  readonly uploadSlots: UploadSlots;
  readonly limits: BodyLimits;
  /** The attempt of the body. Other processes see its progress. */
  readonly attempt?: Attempt;
  readonly kind?: SlotKind;
}

interface Call {
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
}

type Accept<Accepted> = (body: AsyncIterable<Uint8Array>) => Promise<Accepted>;

/** Takes the body, and passes it to `accept`. Throws Refusal, also if there is no slot or no memory for the body. */
export async function takeBody<Accepted>(
  { uploadSlots, limits, attempt, kind }: TakeBodyOptions,
  { caller: { accountId }, request, response }: Call,
  accept: { readonly large: Accept<Accepted>; readonly small: Accept<Accepted> },
): Promise<Accepted> {
  // Take the slot or the memory before the body: a refused client that waits for 100 Continue never sends its body.
  const receive = () => receiveBody(request, response, limits);
  const bytes = smallBodyBytes(request);
  if (bytes === undefined) {
    return uploadSlots.hold(
      accountId,
      () => accept.large(receive()),
      () => attempt?.progress,
      kind,
    );
  }
  return uploadSlots.holdMemory(accountId, bytes, async () => {
    // Read the whole body first: a slow client then costs the memory of its bytes, and no more.
    return accept.small(await readSmallBody(request, receive()));
  });
}
