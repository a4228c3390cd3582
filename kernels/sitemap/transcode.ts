/**
 * The kernel turns entries from JSON bytes into XML bytes, sixteen bytes at a time, without objects in between. It is
 * AssemblyScript, compiled by `npm run build:kernels`.
 *
 * ```
 * {"loc":"https:\/\/a.example\/caf\u00e9","lastmod":"2026-01-15","priority":0.80,"id":7}
 *         │ decoded, percent-encoded      │ checked               │ 0 to 1     └ skipped
 *         ▼ ', &: references              ▼                       ▼ no zeros
 * <url><loc>https://a.example/caf%C3%A9</loc><lastmod>2026-01-15</lastmod><priority>0.8</priority></url>
 * ```
 * Records of CSV become entries in the same way (cells.ts). The kernel refuses nothing: it leaves an entry that it does not accept to its
 * host, src/core/sitemap/entry-transcoder.ts. Kernel and host share memory:
 *
 * ```
 * 0         static data: tables of the format, slots, known origins and codes
 * ends      u32 for each entry: where it ends in the JSON, at the comma after it or at the end
 * json      the batch: entries and the commas between them, UTF-8, then VECTOR bytes of 0
 * scratch   decoded and rewritten values of the current entry
 * xml       the output, up to `xmlEnd`; the host may read and write it between two calls
 * ```
 */
import { deflate } from '../deflate/deflate.ts';
import { beginCells, readCells, setCells } from './cells.ts';
import {
  clearHashes,
  digest,
  hashEntries,
  hashEntry,
  hashed,
  hashes,
  origin,
  originBytes,
  setSeed,
} from './entry-hashes.ts';
import { readObject } from './objects.ts';
import { skipSpace } from './skip.ts';
import { clearSlots, takeSlots } from './slots.ts';
import { LEFT, startEntry } from './strings.ts';
import { setBase } from './urls.ts';
import { beginDates, dateKinds, keepDates, setReading, zonedDates } from './wide-dates.ts';
import { NO_ROOM, namespaces, newsEntries, writeEntry } from './write.ts';

export {
  clearHashes,
  dateKinds,
  deflate,
  digest,
  hashEntries,
  hashEntry,
  hashed,
  hashes,
  namespaces,
  newsEntries,
  origin,
  originBytes,
  setBase,
  setCells,
  setReading,
  setSeed,
  zonedDates,
};

/** The host writes the tables here before the first call. The shape of an entry comes first. */
export const tables: i32 = memory.data(16384, 16);

/** The end of the output. */
export let xmlEnd: i32 = 0;

/**
 * Writes the entries from `first` on to `xmlStart`, and stops at the first entry that it leaves to its host. Returns the index of that
 * entry, or `last + 1`. It writes nothing from `xmlLimit` on.
 */
export function transcode(
  ends: i32,
  json: i32,
  first: i32,
  last: i32,
  scratch: i32,
  scratchLimit: i32,
  xmlStart: i32,
  xmlLimit: i32,
): i32 {
  xmlEnd = xmlStart;
  let from = startOfEntry(ends, json, first);
  for (let i = first; i <= last; i++) {
    const to = json + load<i32>(ends + i * 4);
    const slot = beginEntry(to, scratch, scratchLimit);
    const end = readObject(skipSpace(from), tables, slot, 0);
    if (end === LEFT || skipSpace(end) !== to || !writeXml(slot, xmlLimit)) return i;
    from = to + 1;
  }
  return last + 1;
}

/** Transcodes records of CSV, as `transcode` does with JSON. BLOCK zeros must follow the records. It writes into the records. */
export function transcodeCells(
  ends: i32,
  records: i32,
  first: i32,
  last: i32,
  scratch: i32,
  scratchLimit: i32,
  xmlStart: i32,
  xmlLimit: i32,
): i32 {
  xmlEnd = xmlStart;
  let from = startOfEntry(ends, records, first);
  beginCells(from);
  for (let i = first; i <= last; i++) {
    const to = records + load<i32>(ends + i * 4);
    const slot = beginEntry(to, scratch, scratchLimit);
    if (readCells(from, to, tables, slot) === LEFT || !writeXml(slot, xmlLimit)) return i;
    from = to + 1;
  }
  return last + 1;
}

function startOfEntry(ends: i32, text: i32, i: i32): i32 {
  return i === 0 ? text : text + load<i32>(ends + (i - 1) * 4) + 1;
}

/** Returns the slot of the entry. */
function beginEntry(end: i32, scratch: i32, scratchLimit: i32): i32 {
  startEntry(end, scratch, scratchLimit);
  clearSlots();
  beginDates();
  return takeSlots(1);
}

/** Appends the entry in the slot. Returns false if there is no room. */
function writeXml(slot: i32, limit: i32): bool {
  const written = writeEntry(tables, slot, xmlEnd, limit);
  if (written === NO_ROOM) return false;
  hashEntry(xmlEnd, written);
  keepDates();
  xmlEnd = written;
  return true;
}
