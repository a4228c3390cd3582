/** Tells whether two uploads have the same entries, in any order. */
import { XML_VERSION } from '../../core/sitemap/xml-version.ts';
import type { Fragment } from '../sites/fragment.ts';
import type { RenderedFragment } from './fragment.ts';
import type { FileTotals } from './staging.ts';

/** Describes the entries of an upload, but not their order: two uploads with equal prints and counts publish the same. */
export interface ContentPrint {
  /** The sum of the seeded hashes of all entries, modulo 2^64, as a signed decimal like a bigint of Postgres. */
  readonly digest: string;
  /** The most entries in a file, as `sizeLimit` says. */
  readonly entriesPerFile: number;
  /** The version of the XML of its files (`core/sitemap/xml-version.ts`). */
  readonly xmlVersion: number;
}

/** `print` is null if the version of Waypost that took the upload recorded no prints. Such an upload equals no other. */
type Printed = Pick<FileTotals, 'urlCount' | 'fileCount'> & { readonly print: ContentPrint | null };

export function isSameContent(
  { print, ...content }: Printed,
  { print: livePrint, ...live }: Printed,
): boolean {
  if (print === null || livePrint === null) return false;
  return (
    print.digest === livePrint.digest &&
    print.xmlVersion === livePrint.xmlVersion &&
    content.urlCount === live.urlCount &&
    // The numbers of files are not compared: files of the live generation may have room where entries were removed. If each upload has one
    // file, the limit of entries per file makes no difference.
    ((content.fileCount === 1 && live.fileCount === 1) || print.entriesPerFile === livePrint.entriesPerFile)
  );
}

/** Adds up the digests of fragments as they pass. */
export class DigestSum {
  #sum = 0n;

  async *over(fragments: AsyncIterable<RenderedFragment>): AsyncGenerator<Fragment, void, undefined> {
    for await (const { digest, ...fragment } of fragments) {
      this.#sum += digest;
      yield fragment;
    }
  }

  print(entriesPerFile: number): ContentPrint {
    return { digest: String(BigInt.asIntN(64, this.#sum)), entriesPerFile, xmlVersion: XML_VERSION };
  }
}
