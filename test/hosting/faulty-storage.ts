/** A storage between hosting and the real one. It records requests, and fails on demand. */
import { Readable } from 'node:stream';
import { HOSTS_PREFIX } from '../../src/features/sites/host-directory.ts';
import type {
  ByteRange,
  ObjectReader,
  ObjectStorage,
  StoredObject,
} from '../../src/platform/storage/object-storage.ts';

/** The fate of a request. By default it passes. */
export type Fault = 'none' | 'fails' | 'hangs' | 'breaks in mid-stream' | 'stalls in mid-stream';

const PIECE_BYTES = 16 * 1024;

export class FaultyStorage implements ObjectReader {
  readonly #storage: ObjectStorage;
  /** The requested keys in order, except those of the host directory. */
  readonly asked: string[] = [];
  /** The requested keys of the host directory. */
  readonly askedForHosts: string[] = [];
  /** The keys in `asked` whose bytes were sent. */
  readonly moved: string[] = [];
  /** Bodies that are open: neither read to the end nor destroyed. */
  readonly openBodies = new Set<Readable>();
  /** Chooses the fault of each request. */
  fault: (key: string) => Fault = () => 'none';
  /** Awaited before each request. */
  gate: Promise<void> = Promise.resolve();

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
  }

  get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    return this.#ask(key, () => this.#storage.get(key, range));
  }

  getIfChanged(key: string, version: string): Promise<StoredObject | 'unchanged' | undefined> {
    return this.#ask(key, () => this.#storage.getIfChanged(key, version));
  }

  async #ask<Answer>(
    key: string,
    pass: () => Promise<Answer | StoredObject>,
  ): Promise<Answer | StoredObject> {
    const isOfHosts = key.startsWith(HOSTS_PREFIX);
    (isOfHosts ? this.askedForHosts : this.asked).push(key);
    const fault = this.fault(key);
    await this.gate;
    if (fault === 'fails') throw new Error('the store is down');
    if (fault === 'hangs') return new Promise(() => {});
    const object = await pass();
    if (!isObject(object)) return object;
    if (!isOfHosts) this.moved.push(key);
    if (fault === 'none' && object.whole !== undefined) return object;
    const body = fault === 'none' ? object.body : firstHalf(object, fault);
    this.openBodies.add(body);
    body.once('close', () => this.openBodies.delete(body));
    const { bytes, objectBytes, version } = object;
    return { bytes, objectBytes, version, body };
  }
}

function isObject(answer: unknown): answer is StoredObject {
  return typeof answer === 'object';
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
