/** Cuts lines into portions, each of which the service takes as one delta. */
import { chunksOfLines, LINE_FEED } from './chunks-of-lines.ts';

export interface Portion {
  /** Whole lines. */
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  readonly operations: number;
  /** The lines, blank ones included, and the operations before this portion. */
  readonly linesBefore: number;
  readonly operationsBefore: number;
}

export interface PortionLimits {
  readonly operations: number;
  readonly bytes: number;
}

/** The limits of a delta. */
export const PORTION_LIMITS: PortionLimits = { operations: 100_000, bytes: 32 * 1024 * 1024 };

const SPACE = 0x20;

/** Yields portions, and keeps the bytes of one of them. Blank lines stay, so that line numbers are the same as in the source. */
export async function* cutPortions(
  source: AsyncIterable<Uint8Array>,
  limits: PortionLimits = PORTION_LIMITS,
): AsyncGenerator<Portion, void, undefined> {
  let portion = new OpenPortion(0, 0);
  for await (const text of chunksOfLines(source, limits.bytes)) {
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(LINE_FEED, at) + 1 || text.length;
      if (portion.bytes + end - from > limits.bytes) {
        portion.add(text.subarray(from, at));
        if (portion.operations > 0) yield portion;
        portion = portion.next();
        from = at;
      }
      portion.lines++;
      if (!isBlank(text, at, end)) portion.operations++;
      at = end;
      if (portion.operations < limits.operations) continue;
      portion.add(text.subarray(from, at));
      yield portion;
      portion = portion.next();
      from = at;
    }
    portion.add(text.subarray(from));
  }
  if (portion.operations > 0) yield portion;
}

class OpenPortion implements Portion {
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  lines = 0;
  operations = 0;
  readonly linesBefore: number;
  readonly operationsBefore: number;

  constructor(linesBefore: number, operationsBefore: number) {
    this.linesBefore = linesBefore;
    this.operationsBefore = operationsBefore;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.parts.push(part);
    this.bytes += part.length;
  }

  next(): OpenPortion {
    return new OpenPortion(this.linesBefore + this.lines, this.operationsBefore + this.operations);
  }
}

function isBlank(text: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text[at]! > SPACE) return false;
  return true;
}
