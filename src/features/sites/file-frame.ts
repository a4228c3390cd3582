/** The XML before and after the entries of a sitemap file, deflated once per set of namespaces. */
import { URLSET_FOOTER, urlsetHeader } from '../../core/sitemap/namespaces.ts';
import { type DeflatedPiece, deflateLastPiece, deflatePiece } from '../../platform/gzip/gzip-member.ts';

export interface Frame {
  readonly header: DeflatedPiece;
  readonly footer: DeflatedPiece;
}

const footer = deflateLastPiece(Buffer.from(URLSET_FOOTER));
const frames = new Map<number, Frame>();

/** Returns the frame of a file that uses these namespaces. */
export function frameOf(namespaces: number): Frame {
  let frame = frames.get(namespaces);
  if (frame === undefined) {
    frame = { header: deflatePiece(Buffer.from(urlsetHeader(namespaces))), footer };
    frames.set(namespaces, frame);
  }
  return frame;
}
