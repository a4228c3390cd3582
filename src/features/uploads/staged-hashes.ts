/** The hashes of a file's entries, as they are stored beside it (`features/sites/file-hashes.ts`). */
import { GZIP_HEADER_BYTES } from '../../platform/gzip/gzip-member.ts';
import type { CutFile } from '../sites/cut-files.ts';
import { MIN_HASHED_ENTRIES, writeFileHashes } from '../sites/file-hashes.ts';
import { placeOfFragment } from '../sites/fragment.ts';

/**
 * Returns the object with the hashes, in parts. Returns undefined if the file has few entries, entries of several origins, or fragments
 * without hashes.
 */
export function hashesOf(
  { parts, entries, fragments }: Pick<CutFile, 'parts' | 'entries' | 'fragments'>,
  seed: bigint,
): Uint8Array[] | undefined {
  const origin = fragments[0]?.origin;
  if (entries < MIN_HASHED_ENTRIES || origin === undefined) return undefined;
  const hashes: Uint8Array[] = [];
  for (const fragment of fragments) {
    if (fragment.hashes === undefined || fragment.origin !== origin) return undefined;
    hashes.push(fragment.hashes);
  }
  const firstFragmentAt = GZIP_HEADER_BYTES + parts[1]!.length;
  return writeFileHashes(
    { seed, origin, firstFragmentAt, fragments: fragments.map(placeOfFragment) },
    hashes,
  );
}
