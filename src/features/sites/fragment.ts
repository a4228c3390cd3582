/** Fragments: the XML of successive entries, deflated so that `cut-files.ts` can stitch files from fragments. */
import type { DeflatedPiece } from '../../platform/gzip/gzip-member.ts';

/**
 * A fragment is closed when it has so many bytes of XML. It may become longer, because the kernel looks only between runs of entries. A file
 * has whole fragments, so a fragment must fit into a file.
 */
export const FRAGMENT_XML_BYTES = 4 * 1024 * 1024;

export interface Fragment extends DeflatedPiece {
  readonly entries: number;
  readonly newsEntries: number;
  /** Bit mask of the extension namespaces in use (core/sitemap/namespaces.ts). */
  readonly namespaces: number;
  /** The hashes of the entries (`file-hashes.ts`). Absent if the fragment was read from a file. */
  readonly hashes?: Uint8Array<ArrayBuffer>;
  /** The origin of all entries. Undefined if the entries have several origins. */
  readonly origin?: string | undefined;
}

/** Describes a fragment in a stored file by the length of its deflated bytes, without these bytes. The fragment can be inflated alone. */
export interface FragmentPlace extends Omit<Fragment, 'deflated' | 'hashes' | 'origin'> {
  readonly deflatedBytes: number;
}

export function placeOfFragment({ deflated, hashes: _, origin: __, ...rest }: Fragment): FragmentPlace {
  return { ...rest, deflatedBytes: deflated.length };
}
