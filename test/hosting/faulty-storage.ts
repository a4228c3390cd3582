/** A storage between hosting and the real one: it counts what is asked, and fails as it is told. */
import { Readable } from 'node:stream';
import type { ByteRange, ObjectStorage, StoredObject } from '../../src/platform/object-storage.ts';

/** What happens to a `get`; the default is to pass it on. */
export type Fault = 'none' | 'fails' | 'hangs' | 'breaks in mid-stream' | 'stalls in mid-stream';

const PIECE_BYTES = 16 * 1024;

export class FaultyStorage implements Pick<ObjectStorage, 'get'> {
  readonly #storage: ObjectStorage;
  /** The keys that were asked for, in order. */
  readonly asked: string[] = [];
  /** Bodies that were opened and neither read to the end nor destroyed yet. */
  readonly openBodies = new Set<Readable>();
  /** Chooses the fault of each `get`. */
  fault: (key: string) => Fault = () => 'none';
  /** Awaited before each `get`. */
  gate: Promise<void> = Promise.resolve();

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    this.asked.push(key);
    const fault = this.fault(key);
    await this.gate;
    if (fault === 'fails') throw new Error('the store is down');
    if (fault === 'hangs') return new Promise(() => {});
    const object = await this.#storage.get(key, range);
    if (object === undefined) return undefined;
    const body = fault === 'none' ? object.body : firstHalf(object, fault);
    this.openBodies.add(body);
    body.once('close', () => this.openBodies.delete(body));
    return { bytes: object.bytes, body };
  }
}

function firstHalf({ bytes, body }: StoredObject, fault: Fault): Readable {
  return Readable.from(
    (async function* () {
      const whole = Buffer.concat(await body.toArray());
      for (let at = 0; at < bytes / 2; at += PIECE_BYTES) yield whole.subarray(at, at + PIECE_BYTES);
      if (fault === 'stalls in mid-stream') await new Promise(() => {});
      throw new Error('the store broke off');
    })(),
    { objectMode: false },
  );
}
