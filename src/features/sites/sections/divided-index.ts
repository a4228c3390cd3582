/**
 * The domain-wide index of a divided site: one gzip member, stitched from a piece for each section. A small index is in site.json. The
 * pieces of a larger index are in volumes, and only volumes with changed sections are written (docs/decisions/0082). The index has only one
 * member, because curl and browsers stop at the end of the first member.
 */
import { INDEX_FOOTER } from '../../../core/sitemap/render-index.ts';
import { contentDigest } from '../../../platform/content-digest.ts';
import {
  type DeflatedPiece,
  deflateLastPiece,
  GZIP_HEADER,
  gzipTrailer,
  stitchGzip,
} from '../../../platform/gzip/gzip-member.ts';
import { type ObjectStorage, readObject } from '../../../platform/storage/object-storage.ts';
import type { NewObject } from '../plan-sitemaps.ts';
import {
  type IndexPiece,
  type IndexVolume,
  type Site,
  type SiteSection,
  volumeKey,
  type WrittenSite,
} from '../site.ts';
import { SMALL_FILE_BYTES } from '../small-files.ts';

const footer = deflateLastPiece(Buffer.from(INDEX_FOOTER));

type Bytes = Uint8Array<ArrayBuffer>;

/** A section of the former site that may stay as it is. */
export interface KeptSection {
  readonly section: SiteSection;
  /** The piece of the index for this section. Undefined if the piece is in a volume that may stay as it is. */
  readonly deflated: Bytes | undefined;
}

/**
 * Returns the sections of a site in order. If the index is small, all sections have their pieces. Otherwise, the sections of a volume have
 * their pieces if some of them are changed, but not all. Returns undefined if the pieces do not make the index, or if bytes are missing or
 * damaged.
 */
export async function readPieces(
  storage: Pick<ObjectStorage, 'get'>,
  site: Site,
  isChanged: (section: SiteSection, at: number) => boolean,
): Promise<KeptSection[] | undefined> {
  const { hostname, index, indexHead, dividedIndex, sections = [] } = site;
  if (dividedIndex === undefined) {
    if (index?.content === undefined || indexHead === undefined) return undefined;
    return cutIndex(Buffer.from(index.content, 'base64'), indexHead, sections);
  }
  const inVolumes = runsOf(sections, dividedIndex.volumes).map(async ({ volume, run, at }) => {
    if (volume === undefined || sizeOf(run.map((section) => section.index)) !== volume.gzipBytes)
      return undefined;
    const changed = run.filter((section, i) => isChanged(section, at + i)).length;
    if (changed === 0 || changed === run.length)
      return run.map((section) => ({ section, deflated: undefined }));
    const bytes = await readObject(storage, volumeKey(hostname, volume));
    if (bytes === undefined || contentDigest([bytes]) !== volume.etag) return undefined;
    return cut(Buffer.from(bytes), 0, run);
  });
  const kept = await Promise.all(inVolumes);
  return kept.every((each) => each !== undefined) ? kept.flat() : undefined;
}

/** Cuts a whole index into its beginning and the pieces of its sections. Returns undefined if they do not make up the index. */
function cutIndex(
  gzip: Buffer<ArrayBuffer>,
  head: IndexPiece,
  sections: readonly SiteSection[],
): KeptSection[] | undefined {
  const start = GZIP_HEADER.length + head.gzipBytes;
  const kept = cut(gzip, start, sections);
  const first = { ...head, deflated: gzip.subarray(GZIP_HEADER.length, start) };
  const pieces = kept.map(({ section, deflated }) => ({ ...section.index, deflated }));
  return Buffer.concat(stitchGzip([first, ...pieces, footer])).equals(gzip) ? kept : undefined;
}

function cut(bytes: Buffer<ArrayBuffer>, start: number, sections: readonly SiteSection[]) {
  let end = start;
  return sections.map((section) => {
    const from = end;
    end += section.index.gzipBytes;
    return { section, deflated: bytes.subarray(from, end) };
  });
}

/** A section of the new site. */
export interface IndexedSection extends KeptSection {
  readonly isNew: boolean;
}

/**
 * Plans the objects of the index of sections, and describes the index for site.json. Each section must have its piece, except the sections
 * of a volume in `former` that has no new section. `mostBytes`: a longer volume is cut, and a longer index leaves site.json. Only tests
 * give `mostBytes`.
 */
export function planIndex(
  site: Pick<Site, 'hostname' | 'generation'>,
  head: DeflatedPiece,
  sections: readonly IndexedSection[],
  former: readonly IndexVolume[],
  lastModified: string,
  mostBytes = SMALL_FILE_BYTES,
): {
  readonly objects: readonly NewObject[];
  readonly described: Pick<WrittenSite, 'index' | 'indexHead' | 'dividedIndex'>;
} {
  const pieces = [head, ...sections.map(({ section }) => section.index), footer];
  const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const start = Buffer.concat([GZIP_HEADER, head.deflated]);
  const end = Buffer.concat([footer.deflated, gzipTrailer(pieces)]);
  const gzipBytes = start.length + sizeOf(sections.map(({ section }) => section.index)) + end.length;
  const deflated = sections.flatMap((each) => each.deflated ?? []);
  if (gzipBytes <= mostBytes && deflated.length === sections.length) {
    const gzip = Buffer.concat([start, ...deflated, end]);
    const content = gzip.toString('base64');
    const index = { bytes, gzipBytes, etag: contentDigest([gzip]), lastModified, content };
    return { objects: [], described: { index, indexHead: describePiece(head) } };
  }
  const placed = runsOf(sections, former).flatMap(({ volume, run, at }) =>
    volume !== undefined && run.every(({ isNew }) => !isNew)
      ? [{ volume, objects: [] }]
      : newVolumes(site, run, at, mostBytes),
  );
  const volumes = placed.map(({ volume }) => volume);
  const etag = contentDigest([start, ...volumes.map(({ etag }) => Buffer.from(etag)), end]);
  return {
    objects: placed.flatMap(({ objects }) => objects),
    described: {
      dividedIndex: {
        ...{ bytes, gzipBytes, etag, lastModified },
        start: start.toString('base64'),
        volumes,
        end: end.toString('base64'),
      },
    },
  };
}

export function describePiece({ deflated, bytes, crc }: DeflatedPiece): IndexPiece {
  return { bytes, gzipBytes: deflated.length, crc };
}

/** Successive sections that belong to one volume. `at`: the place of the first section among all sections. */
interface Run<Section> {
  readonly volume: IndexVolume | undefined;
  readonly run: readonly Section[];
  readonly at: number;
}

function runsOf<Section extends SiteSection | KeptSection>(
  sections: readonly Section[],
  volumes: readonly IndexVolume[],
): Run<Section>[] {
  const starting = new Map(volumes.map((volume) => [volume.from, volume]));
  const startOf = (each: SiteSection | KeptSection) => ('section' in each ? each.section.from : each.from);
  const starts = sections.flatMap((each, at) => (at === 0 || starting.has(startOf(each)) ? [at] : []));
  return starts.map((at, i) => {
    const run = sections.slice(at, starts[i + 1]);
    return { volume: starting.get(startOf(run[0]!)), run, at };
  });
}

/** Makes the volumes of a run. Cuts a run that is too large between its pieces, into volumes of about half of `mostBytes`. */
function newVolumes(
  { hostname, generation }: Pick<Site, 'hostname' | 'generation'>,
  run: readonly IndexedSection[],
  at: number,
  mostBytes: number,
) {
  const total = sizeOf(run.map(({ section }) => section.index));
  const each = total <= mostBytes ? total : total / Math.ceil((2 * total) / mostBytes);
  let place = -1;
  let end = 0;
  const parts = Map.groupBy(run.entries(), ([, { section }]) => {
    // A piece belongs to the part in which it begins.
    place = Math.max(place, Math.floor(end / each));
    end += section.index.gzipBytes;
    return place;
  });
  return [...parts.values()].map((part) => {
    const [first, { section }] = part[0]!;
    const bytes = Buffer.concat(part.map(([, { deflated }]) => deflated!));
    const n = at + first;
    const volume = {
      ...{ from: section.from, generation, n },
      gzipBytes: bytes.length,
      etag: contentDigest([bytes]),
    };
    return { volume, objects: [{ key: volumeKey(hostname, volume), uploads: [], bytes: () => bytes }] };
  });
}

const sizeOf = (pieces: readonly Pick<IndexPiece, 'gzipBytes'>[]) =>
  pieces.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
