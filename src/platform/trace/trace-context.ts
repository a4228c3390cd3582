/**
 * The trace of a request, by W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context-1/). All work of the request finds the trace
 * without a parameter. Work that many requests share has no trace.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span under way. */
  readonly spanId: string;
  /** The span that caused the span under way. Undefined for the first span of a trace. */
  readonly parentSpanId: string | undefined;
  /** Whether the first sender asks all others to record their spans. */
  readonly isSampled: boolean;
  /** The `tracestate` that came with the trace. Undefined: none, or none that is valid. */
  readonly traceState?: string | undefined;
}

const contexts = new AsyncLocalStorage<TraceContext | undefined>();

export function currentTrace(): TraceContext | undefined {
  return contexts.getStore();
}

/** Runs work as a part of a trace. `trace`: undefined for work outside of all traces. */
export function withTrace<Result>(trace: TraceContext | undefined, work: () => Result): Result {
  return contexts.run(trace, work);
}

/**
 * Begins the part of a trace that is the work of this process. `header`: the header `traceparent`. Without a valid header, a new trace
 * begins. `isSampled`: whether a new trace is sampled. `state`: the header `tracestate`.
 */
export function beginTrace(header: string | undefined, isSampled: boolean, state?: string): TraceContext {
  const parent = header === undefined ? undefined : parseTraceparent(header);
  if (parent !== undefined) {
    return childOf({ ...parent, traceState: state === undefined ? undefined : parseTraceState(state) });
  }
  return { traceId: randomHex(), spanId: newSpanId(), parentSpanId: undefined, isSampled };
}

export function childOf({ traceId, spanId, isSampled, traceState }: TraceContext): TraceContext {
  return { traceId, spanId: newSpanId(), parentSpanId: spanId, isSampled, traceState };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;
}

/** Returns the `traceparent` to store for work that goes on later, perhaps in another process. Null outside of all traces. */
export function currentTraceparent(): string | null {
  const trace = currentTrace();
  return trace === undefined ? null : traceparentOf(trace);
}

/** Runs work as a part of the trace whose `traceparent` was stored. */
export function withStoredTrace<Result>(traceparent: string | null, work: () => Result): Result {
  const parent = traceparent === null ? undefined : parseTraceparent(traceparent);
  return withTrace(parent && childOf(parent), work);
}

/** The number of hexadecimal digits of each field that every version has. */
const LENGTHS = [2, 32, 16, 2];
const HEX = /^[0-9a-f]+$/;

/**
 * Parses `traceparent`. Undefined if the header is not valid (section 3.2.2). The header of a later version may have more fields at its
 * end.
 */
export function parseTraceparent(header: string): TraceContext | undefined {
  const fields = header.split('-');
  if (LENGTHS.some((length, i) => fields[i]?.length !== length || !HEX.test(fields[i]))) return undefined;
  const [version, traceId = '', spanId = '', flags = '', ...more] = fields;
  if (version === 'ff' || (version === '00' && more.length > 0)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, parentSpanId: undefined, isSampled };
}

/** Uses UUIDs of version 4, because Node makes 128 of them in advance. All their bits are random, except six. */
const randomHex = () => randomUUID().replaceAll('-', '');
/** The last 16 digits of a UUID begin with the two bits of its variant, which are never both zero. So the id is never zero. */
const newSpanId = () => randomHex().slice(16);

const MAX_MEMBERS = 32;
const MAX_CHARACTERS = 512;
/** If the text is too long, members with more than LONG characters are dropped first. */
const LONG = 128;

const KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Reads the header `tracestate`: the notes of vendors on a trace (W3C Trace Context, level 1, section 3.3). Returns the text to pass on,
 * unread. If the header is too long, some of its members are missing. Undefined if it is not valid, or has no member.
 */
export function parseTraceState(header: string): string | undefined {
  const members = header.split(',').map((member) => member.trim());
  const given = members.filter((member) => member !== '');
  const keys = given.map((member) => member.split('=', 1)[0]!);
  const isValid = given.every(
    (member, n) => KEY.test(keys[n]!) && VALUE.test(member.slice(keys[n]!.length + 1)),
  );
  if (!isValid || given.length > MAX_MEMBERS || new Set(keys).size < keys.length) return undefined;
  while (given.join().length > MAX_CHARACTERS) {
    const long = given.findLastIndex(({ length }) => length > LONG);
    given.splice(long, 1);
  }
  return given.join() || undefined;
}
