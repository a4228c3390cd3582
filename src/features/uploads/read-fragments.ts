/**
 * Reads staged files back as their fragments, for documents with `sizeLimit` after `urls`, and for the tails of upload sessions. No entry
 * is parsed or compressed again. Small files are in memory. Other files are read from object storage.
 */
import { contentDigest } from '../../platform/content-digest.ts';
import { type DeflatedPiece, GZIP_HEADER_BYTES } from '../../platform/gzip/gzip-member.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { frameOf } from '../sites/file-frame.ts';
import type { Fragment } from '../sites/fragment.ts';
import { uploadFileKey } from '../sites/site.ts';
import type { Staging } from './staging.ts';

export async function* readFragments(
  storage: Pick<ObjectStorage, 'get'>,
  staging: Pick<Staging, 'uploadId' | 'files'>,
): AsyncGenerator<Fragment, void, undefined> {
  for (const file of staging.files) {
    const object = file.content ?? (await readObject(storage, uploadFileKey(staging.uploadId, file.n)));
    if (object === undefined) throw new Error(`staged file ${file.n} is gone`);
    // The fragments are copied without inflating them, so only this check keeps damage in the store out of the new files.
    if (contentDigest([object]) !== file.etag) throw new Error(`staged file ${file.n} has other bytes`);
    const { header } = frameOf(file.fragments.reduce((mask, fragment) => mask | fragment.namespaces, 0));
    let offset = GZIP_HEADER_BYTES + header.deflated.length;
    for (const { deflatedBytes, ...rest } of file.fragments) {
      yield { ...rest, deflated: bytesAt(object, offset, deflatedBytes) };
      offset += deflatedBytes;
    }
  }
}

function bytesAt(object: Buffer, offset: number, length: number): DeflatedPiece['deflated'] {
  return object.subarray(offset, offset + length) as Buffer<ArrayBuffer>;
}
