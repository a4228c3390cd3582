/**
 * Bounds the memory of all stagings of a process. Most files have some 1 MB, but a file of entries that do not compress has up to 50 MB.
 */
import { Turns } from '../../platform/concurrency/turns.ts';

/** The bytes that wait for a slow store. Beyond them, each upload has one file under way. */
const MAX_PUT_BYTES = 64 * 1024 * 1024;
/** The compressed bytes from which a file needs a place. */
export const LARGE_FILE_BYTES = 8 * 1024 * 1024;
const PLACES = 8;
const PLACES_OF_ACCOUNT = 2;

export class StagingRoom {
  readonly #places = new Turns(PLACES, PLACES_OF_ACCOUNT);
  /** The bytes of all files that are being stored. */
  putBytes = 0;

  hasRoomForPut(bytes: number): boolean {
    return this.putBytes + bytes <= MAX_PUT_BYTES;
  }

  /** Waits for a place for a large file, from its fragments until it is stored. Resolves with a function that gives the place back. */
  takePlace(accountId: string): Promise<() => void> {
    const taken = Promise.withResolvers<() => void>();
    void this.#places.run(accountId, () => new Promise<void>((giveBack) => taken.resolve(giveBack)));
    return taken.promise;
  }
}
