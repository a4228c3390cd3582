/** The operations of a delta, and their lines. */

import type { Entry } from '../entry.ts';
import { encodeLines } from '../upload/encode-lines.ts';
import { badInput } from '../waypost-error.ts';

/** An operation: `upsert` adds the entry, or replaces the whole entry of its `loc`. `remove` removes a URL. */
export type Operation = { readonly upsert: Entry } | { readonly remove: string };

/** The operations of one delta. A URL may be in one of the lists only. */
export interface Changes {
  readonly upsert?: readonly Entry[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

export type Operations = Iterable<Operation> | AsyncIterable<Operation>;

export function isChanges(changes: Changes | Operations): changes is Changes {
  return !(Symbol.iterator in changes) && !(Symbol.asyncIterator in changes);
}

export function encodeOperations(operations: Operations): AsyncGenerator<Uint8Array, void, undefined> {
  return encodeLines<Operation>(operations, (operation, index) => {
    // JSON leaves undefined members out. Fail here: the service would name a line, and the caller has no lines.
    if (!isOperation(operation))
      throw badInput(`Operation ${index} is neither {upsert: an entry} nor {remove: a URL}.`);
    return operation;
  });
}

function isOperation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { upsert, remove } = value as Record<string, unknown>;
  if (remove !== undefined) return typeof remove === 'string' && upsert === undefined;
  return typeof upsert === 'object' && upsert !== null;
}
