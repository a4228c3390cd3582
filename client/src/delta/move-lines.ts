/** Says where a fault is in a source, of which a request had a part. */
import { WaypostError } from '../waypost-error.ts';

/** Details of an error, or one of its violations. */
export interface OnLine {
  /** From 1. */
  readonly line: number;
  /** Counts operations, from 0. */
  readonly index?: number;
  readonly file?: string;
}

/** Returns other errors, and those that name no line, as they are. */
export function moveLines(error: unknown, move: (place: OnLine) => OnLine): unknown {
  if (!(error instanceof WaypostError)) return error;
  const { code, message, status, requestId, retryAfterSeconds, isTemporary } = error;
  const { errors, ...details } = error.details;
  return new WaypostError(code, movedMessage(message, move), {
    ...{ status, requestId, retryAfterSeconds, isTemporary, cause: error },
    details: {
      ...moved(details, move),
      ...(Array.isArray(errors) && { errors: errors.map((one) => moved(one, move)) }),
    },
  });
}

type Json = Readonly<Record<string, unknown>>;

function moved(details: Json, move: (place: OnLine) => OnLine): Json {
  return typeof details.line === 'number' ? { ...details, ...move(details as unknown as OnLine) } : details;
}

function movedMessage(message: string, move: (place: OnLine) => OnLine): string {
  return message.replace(/\bline (\d+)/, (_, line) => {
    const place = move({ line: Number(line) });
    return `${place.file === undefined ? '' : `${place.file}, `}line ${place.line}`;
  });
}
