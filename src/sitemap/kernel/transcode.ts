/**
 * The kernel: common entries straight from their JSON bytes to their XML bytes, with no string and no object in
 * between, sixteen bytes at a time. AssemblyScript, compiled to kernel.wasm by `npm run build:kernel`.
 *
 * ```
 * {"loc":"https://a.example/b","lastmod":"2026-01-15","changefreq":"weekly","priority":0.8}
 *         └───── copied, & and ' escaped      └ checked, copied    └ one of seven     └ 0, 1 or 0.…
 * <url><loc>https://a.example/b</loc><lastmod>2026-01-15</lastmod>…</url>
 * ```
 * Its wire (../entry-transcoder.ts is the other end) is its memory:
 *
 * ```
 * 0        static data: tables, slots, what was learnt of hosts and languages
 * ends     u32 for each entry: where it ends in the JSON, which is at the comma behind it or at the end
 * json     the batch: entries and the commas between them, UTF-8, and 16 bytes of 0
 * xml      what was written, to `xmlEnd`; may be read and written by the host between two calls
 * ```
 * Recognised: an object of the members in objects.ts, in any order, each at most once, `loc` among them, with
 * or without white space between tokens. Everything else is not plain: other members, null, video and news, URLs
 * that must be rewritten, escapes other than of quotes and slashes, rare forms of dates and numbers.
 */
import { NOT_PLAIN } from './not-plain.ts';
import { readEntry, skipSpace } from './objects.ts';
import { namespaces, writeEntry } from './write.ts';

/** Behind what was written last. */
export let xmlEnd: i32 = 0;

export { namespaces };

/**
 * Writes the entries from `first` on at `xmlStart`, where there must be room for whatever they become, up to the
 * first that is not plain. Returns its index, or `last + 1`.
 */
export function transcode(ends: i32, json: i32, first: i32, last: i32, xmlStart: i32): i32 {
  xmlEnd = xmlStart;
  let from = first === 0 ? json : json + load<i32>(ends + (first - 1) * 4) + 1;
  for (let i = first; i <= last; i++) {
    const to = json + load<i32>(ends + i * 4);
    const end = readEntry(skipSpace(from));
    if (end === NOT_PLAIN || skipSpace(end) !== to) return i;
    xmlEnd = writeEntry(xmlEnd);
    from = to + 1;
  }
  return last + 1;
}
