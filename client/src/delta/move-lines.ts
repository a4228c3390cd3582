/** Corrects the line numbers of an error: the request had a part of a source, and the lines are counted in the whole source. */
import { WaypostError } from '../waypost-error.ts';

/** The place in details of an error, or in one of its violations. */
export interface OnLine {
  /** From 1. */
  readonly line: number;
  /** The number of the operation, from 0. */
  readonly index?: number;
  readonly file?: string;
}

/** Returns the error with other places. Returns an error that is no WaypostError as it is. */
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
