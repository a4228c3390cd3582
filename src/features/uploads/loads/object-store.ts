/** The SQL of the objects of loads. Each change names the fence of its load. */
import { type Queryable, slowStatement, type Transaction } from '../../../platform/postgres/database.ts';
import { allRows } from '../../../platform/postgres/rows.ts';
import { MAX_OBJECTS } from './load.ts';
import { type Held, lost } from './load-store.ts';
import { refused } from './source-failure.ts';

/** An object to read, or an index whose children follow it. */
export interface ListedObject {
  /** The position in the order of the load, from 0. The part has the number n + 1. */
  readonly n: number;
  readonly url: string;
  readonly depth: number;
  readonly etag: string | null;
  readonly bytes: number | null;
  readonly isIndex: boolean;
}

/** SQL: removes the print of the list, because an object was not read as it was listed. */
const NO_PRINT = ', list_print = NULL';

/** Stores the complete list of a load. */
export async function putList(
  transaction: Transaction,
  held: Held,
  listed: readonly ListedObject[],
  missing: number,
  print: string | null,
): Promise<void> {
  const { objects, bytes } = added(listed);
  const grown = { objects: objects + missing, bytes };
  await change(transaction, held, `is_listed = true, skipped = ${Number(missing)}`, grown);
  await transaction.query('UPDATE loads SET list_print = $2 WHERE id = $1', [held.id, print]);
  await insertObjects(transaction, held, listed);
}

/**
 * Lists the children of an object that proved to be an index, without those that the load has already. So a loop of indexes ends. Throws
 * SourceFailure if the load then has too many objects.
 */
export async function putChildren(
  transaction: Transaction,
  held: Held,
  n: number,
  children: readonly ListedObject[],
): Promise<void> {
  // Lock the load before the look: another index of the load may list the same children just now.
  await change(transaction, held, 'begun = 0');
  const known = await findKnown(transaction, held.id, children);
  const unknown = children.filter(({ url }) => !known.has(url));
  const { objects, bytes } = added(unknown);
  const all = await change(transaction, held, 'begun = 0', { objects: objects - 1, bytes });
  if (all > MAX_OBJECTS) throw refused(`leads beyond ${MAX_OBJECTS} objects, the limit`);
  await setState(transaction, held, n, 'listed');
  await insertObjects(transaction, held, unknown);
}

/** Call this in the transaction that stores the part. `isAsListed`: the object has the entity tag of the list. */
export async function objectDone(
  transaction: Transaction,
  { id, fence }: Held,
  n: number,
  isAsListed: boolean,
): Promise<void> {
  const { rows } = await transaction.query<{ wasWaiting: boolean }>({
    name: isAsListed ? 'object-done' : 'changed-object-done',
    text: `WITH held AS (
       UPDATE loads SET begun = 0, done = done + 1${isAsListed ? '' : NO_PRINT}
        WHERE id = $1 AND fence = $2 AND ended_at IS NULL RETURNING id
     ), changed AS (
       UPDATE load_objects AS o SET state = 'done' FROM held WHERE o.load_id = held.id AND o.n = $3 AND o.state = 'waiting' RETURNING o.n
     )
     SELECT EXISTS (SELECT FROM changed) AS "wasWaiting" FROM held`,
    values: [id, fence, n],
  });
  if (rows[0] === undefined) throw lost();
  if (!rows[0].wasWaiting) throw doesNotWait(id, n);
}

export async function objectSkipped(transaction: Transaction, held: Held, n: number): Promise<void> {
  await change(transaction, held, `begun = 0, skipped = skipped + 1${NO_PRINT}`);
  await setState(transaction, held, n, 'skipped');
}

/** Returns the first `limit` objects after `after` that are still to be read. */
export function listWaiting(queryable: Queryable, loadId: string, after: number, limit: number) {
  return allRows<ListedObject>(
    queryable,
    `SELECT n, url, depth, etag, bytes, false AS "isIndex" FROM load_objects
      WHERE load_id = $1 AND state = 'waiting' AND n > $2 ORDER BY n LIMIT $3`,
    [loadId, after, limit],
  );
}

/** Returns those addresses of `objects` that the load has already. */
async function findKnown(
  transaction: Transaction,
  loadId: string,
  objects: readonly ListedObject[],
): Promise<ReadonlySet<string>> {
  const { rows } = await transaction.query<{ url: string }>(
    slowStatement('SELECT url FROM load_objects WHERE load_id = $1 AND url = ANY($2)', [
      loadId,
      objects.map(({ url }) => url),
    ]),
  );
  return new Set(rows.map(({ url }) => url));
}

/**
 * Changes the row of a load. `set`: SQL without texts of clients. The statement also locks the load, so a process that has lost the load
 * does not change its objects. Returns the number of objects afterwards, without indexes.
 */
async function change(
  transaction: Transaction,
  { id, fence }: Held,
  set: string,
  { objects, bytes }: Added = { objects: 0, bytes: 0 },
): Promise<number> {
  const { rows } = await transaction.query<Pick<Added, 'objects'>>(
    `UPDATE loads SET ${set}, objects = objects + $3, bytes_total = bytes_total + $4
      WHERE id = $1 AND fence = $2 AND ended_at IS NULL RETURNING objects`,
    [id, fence, objects, bytes],
  );
  if (rows[0] === undefined) throw lost();
  return rows[0].objects;
}

async function setState(transaction: Transaction, { id }: Held, n: number, state: string): Promise<void> {
  const { rowCount } = await transaction.query(
    `UPDATE load_objects SET state = $3 WHERE load_id = $1 AND n = $2 AND state = 'waiting'`,
    [id, n, state],
  );
  if (rowCount !== 1) throw doesNotWait(id, n);
}

function doesNotWait(id: string, n: number): Error {
  return new Error(`object ${n} of load ${id} does not wait`);
}

async function insertObjects(
  transaction: Transaction,
  { id }: Held,
  objects: readonly ListedObject[],
): Promise<void> {
  await transaction.query(
    // A list has up to 10,000 objects and 30,000 indexes. If a busy database refuses the list, the load lists its objects again and again.
    slowStatement(
      `INSERT INTO load_objects (load_id, n, url, depth, etag, bytes, state)
       SELECT $1, * FROM unnest($2::integer[], $3::text[], $4::integer[], $5::text[], $6::bigint[], $7::text[])`,
      [
        id,
        objects.map(({ n }) => n),
        objects.map(({ url }) => url),
        objects.map(({ depth }) => depth),
        objects.map(({ etag }) => etag),
        objects.map(({ bytes }) => bytes),
        objects.map(({ isIndex }) => (isIndex ? 'listed' : 'waiting')),
      ],
    ),
  );
}

interface Added {
  readonly objects: number;
  /** Null if the length of an object is not known. */
  readonly bytes: number | null;
}

function added(listed: readonly ListedObject[]): Added {
  const waiting = listed.filter(({ isIndex }) => !isIndex);
  const bytes = waiting.reduce<number | null>(
    (sum, object) => (sum === null || object.bytes === null ? null : sum + object.bytes),
    0,
  );
  return { objects: waiting.length, bytes };
}
