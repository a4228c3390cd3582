/** Reads the operations of a delta. A fault in one operation refuses the whole delta. */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import { joinBytes } from '../../../platform/join-bytes.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { inflatePiece } from '../../entries/inflate-file.ts';
import type { HeldBytes, HoldLimits } from '../hold-budget.ts';
import { endsOf } from '../placement/entry-texts.ts';
import type { RenderPool } from '../render-pool.ts';
import type { DeltaMembers } from './delta-members.ts';
import { type DeltaForm, OperationBatches } from './operation-batches.ts';
import { endsOfParts, joinOperations, locHashOf, locOf, type Operations, xmlOf } from './operations.ts';

export interface ReadDeltaOptions {
  readonly pool: Pick<RenderPool, 'render'>;
  /** Takes memory for the operations of a delta. The caller gives the memory back. */
  readonly held: HeldBytes;
}

const MiB = 1024 * 1024;
/** The most memory for the operations of a delta, as XML and hashes. A body of 32 MiB becomes little more than 32 MiB. */
const MAX_HELD_BYTES = 64 * MiB;
/**
 * A delta without room is refused. So an account takes at most a third of the free memory: the first account gets its full 64 MiB, and four
 * accounts with large deltas leave room for the rows of all others.
 */
export const DELTA_BUDGET: HoldLimits = { perAccount: MAX_HELD_BYTES, inAll: 256 * MiB, partOfFree: 1 / 3 };
const RETRY_AFTER_SECONDS = 5;

/** Returns the last operation on each URL. Throws Refusal. */
export async function readDelta(
  { pool, held }: ReadDeltaOptions,
  accountId: string,
  form: DeltaForm,
  body: AsyncIterable<Uint8Array>,
  members: DeltaMembers,
): Promise<Operations> {
  const batches = new OperationBatches();
  const lists: Operations[] = [];
  let [heldBytes, read] = [0, 0];
  try {
    for await (const fragment of pool.render(batches.read(form, body, members), accountId)) {
      const bytes = fragment.bytes + fragment.hashes.length;
      heldBytes += bytes;
      if (heldBytes > MAX_HELD_BYTES) throw tooLarge();
      if (!held.take(bytes)) throw tooManyDeltas();
      const { entries: count, hashes } = fragment;
      const xml = inflatePiece(fragment);
      const removes = Uint8Array.from(batches.removes.slice(read, read + count), Number);
      lists.push({ count, removes, hashes, xml, ends: endsOf(xml, count) });
      read += count;
    }
  } catch (error) {
    throw batches.names.renamed(error);
  }
  const operations = joinOperations(lists);
  if (read !== batches.removes.length || operations.hashes.length !== read * HASHES_BYTES)
    throw new Error('operations were lost');
  if (form === 'json') refuseBoth(operations, batches);
  return lastOfEach(operations);
}

function lastOfEach(operations: Operations): Operations {
  const last = new Map<bigint, number>();
  for (let i = 0; i < operations.count; i++) last.set(locHashOf(operations, i), i);
  if (last.size === operations.count) return operations;
  const kept = [...last.values()].sort((a, b) => a - b);
  const texts = kept.map((i) => xmlOf(operations, i));
  return {
    count: kept.length,
    removes: Uint8Array.from(kept, (i) => operations.removes[i]!),
    hashes: joinBytes(kept.map((i) => operations.hashes.subarray(i * HASHES_BYTES, (i + 1) * HASHES_BYTES))),
    xml: joinBytes(texts),
    ends: endsOfParts(texts.map(({ length }) => length)),
  };
}

function tooLarge(): Refusal {
  return new Refusal(
    'PAYLOAD_TOO_LARGE',
    `The operations must take at most ${MAX_HELD_BYTES / MiB} MiB as XML. Send several deltas.`,
  );
}

function tooManyDeltas(): Refusal {
  const message = 'Too many large deltas are under way. Send it again in a moment.';
  return new Refusal('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Refuses a URL that is in `upsert` and in `remove`: a document does not say which of the operations comes first. */
function refuseBoth(operations: Operations, { names }: OperationBatches): void {
  const kinds = new Map<bigint, number>();
  for (let i = 0; i < operations.count; i++) {
    const loc = locHashOf(operations, i);
    const kind = operations.removes[i]!;
    if ((kinds.get(loc) ?? kind) !== kind) {
      const { field } = names.nameOf(i);
      throw invalidField(field, locOf(operations, i), 'must not stand in upsert and in remove');
    }
    kinds.set(loc, kind);
  }
}
