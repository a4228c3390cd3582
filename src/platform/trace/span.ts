/** Spans: the named parts of a trace, with their times. Without a receiver, no span is made. */
import { Refusal } from '../refusal.ts';
import { childOf, currentTrace, type TraceContext, withTrace } from './trace-context.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface EndedSpan {
  readonly trace: TraceContext;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  /** Whether the work failed by a fault of ours or of a dependency. */
  readonly hasFailed: boolean;
}

export type ReceiveSpan = (span: EndedSpan) => void;

/** The receiver of all spans. It is a variable of the process, because spans are made in all rooms. */
let receive: ReceiveSpan | undefined;

export function sendSpansTo(receiver: ReceiveSpan | undefined): void {
  receive = receiver;
}

/** Returns whether there is a receiver, so that a new trace should be sampled. */
export const areSpansWanted = () => receive !== undefined;

/** Returns milliseconds since 1970, by a clock that never steps. */
export const spanTime = () => performance.timeOrigin + performance.now();

export function endSpan(span: EndedSpan): void {
  receive?.(span);
}

/** Runs work. If the trace under way is sampled, the work is a span of this trace. */
export function inSpan<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
  kind: EndedSpan['kind'] = 'internal',
): Promise<Result> {
  const parent = receive && currentTrace();
  if (parent === undefined || !parent.isSampled) return work();
  return record({ trace: childOf(parent), name, kind, attributes }, work);
}

async function record<Result>(
  begun: Omit<EndedSpan, 'startedAt' | 'endedAt' | 'hasFailed'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = spanTime();
  let hasFailed = false;
  try {
    return await withTrace(begun.trace, work);
  } catch (error) {
    hasFailed = !(error instanceof Refusal);
    throw error;
  } finally {
    endSpan({ ...begun, startedAt, endedAt: spanTime(), hasFailed });
  }
}
