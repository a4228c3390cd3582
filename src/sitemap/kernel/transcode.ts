/**
 * The kernel turns common entries from JSON bytes into XML bytes, sixteen bytes at a time, without strings or objects
 * in between. It is AssemblyScript, compiled to kernel.wasm by `npm run build:kernel`.
 *
 * ```
 * {"loc":"https://a.example/b","lastmod":"2026-01-15","changefreq":"weekly","priority":0.8}
 *         └───── copied, & and ' escaped      └ checked, copied    └ one of seven     └ 0, 1 or 0.…
 * <url><loc>https://a.example/b</loc><lastmod>2026-01-15</lastmod>…</url>
 * ```
 * It shares its memory with its host, ../entry-transcoder.ts:
 *
 * ```
 * 0        static data: tables, slots, known hosts and languages
 * ends     u32 for each entry: where it ends in the JSON, at the comma after it or at the end
 * json     the batch: entries and the commas between them, UTF-8, then 16 bytes of 0
 * xml      the output, up to `xmlEnd`; the host may read and write it between two calls
 * ```
 * It recognises objects with the members in objects.ts: in any order, each at most once, with `loc`, with or without
 * white space between tokens. Everything else is not plain: other members, null, video and news, URLs that must be
 * rewritten, escapes except those of quotes, slashes and backslashes, rare forms of dates and numbers.
 */
import { NOT_PLAIN } from './not-plain.ts';
import { readEntry, skipSpace } from './objects.ts';
import { namespaces, writeEntry } from './write.ts';

/** The end of the output. */
export let xmlEnd: i32 = 0;

export { namespaces };

/**
 * Writes the entries from `first` on to `xmlStart`, and stops at the first that is not plain. Returns its index, or
 * `last + 1`. There must be room for the XML of all entries.
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
