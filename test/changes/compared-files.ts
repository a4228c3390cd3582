/** Uploads in memory, and the naive comparison that judges the real one. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Entry } from '../../src/core/sitemap/entry.ts';
import { URLSET_FOOTER, urlsetHeader } from '../../src/core/sitemap/namespaces.ts';
import { namespacesOf, renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { compareFiles } from '../../src/features/changes/compare-files.ts';
import type { CompareEnd, CompareTask } from '../../src/features/changes/thread-messages.ts';
import type { ChangeKind } from '../../src/features/entries/entry-kernel.ts';
import { type EntryPack, keyOfUrl, readEntryPack } from '../../src/features/entries/entry-pack.ts';
import { entriesOf, fragmentOf, locOfEntry } from '../../src/features/entries/fragment-of.ts';

export interface MemoryFile {
  readonly xml: Buffer;
  readonly entries: readonly Entry[];
  /** The stored file, if an upload wrote it. Otherwise it is `xml`, deflated in one piece. */
  readonly stored?: Buffer;
  /** The stored hashes of its entries. */
  readonly hashes?: Buffer | undefined;
}

export type Changes = Readonly<Record<ChangeKind, readonly string[]>>;

export function fileOf(entries: readonly Entry[]): MemoryFile {
  const namespaces = entries.reduce((bits, entry) => bits | namespacesOf(entry), 0);
  const xml = urlsetHeader(namespaces) + entries.map(renderEntry).join('') + URLSET_FOOTER;
  return { xml: Buffer.from(xml), entries };
}

/** Cuts entries into files of so many. */
export function filesOf(entries: readonly Entry[], perFile: number): MemoryFile[] {
  const files: MemoryFile[] = [];
  for (let at = 0; at < entries.length; at += perFile) files.push(fileOf(entries.slice(at, at + perFile)));
  return files;
}

/** The rule of src/features/changes/comparison.ts, to the letter. */
export function naiveChanges(former: readonly MemoryFile[], live: readonly MemoryFile[]): Changes {
  const [before, after] = [contentOf(former), contentOf(live)];
  const added = [...after.keys()].filter((loc) => !before.has(loc));
  const removed = [...before.keys()].filter((loc) => !after.has(loc));
  const changed = [...after.keys()].filter((loc) => before.has(loc) && before.get(loc) !== after.get(loc));
  return sorted({ added, changed, removed });
}

function contentOf(files: readonly MemoryFile[]): Map<string, string> {
  const content = new Map<string, string>();
  for (const entry of files.flatMap(({ entries }) => entries)) {
    if (!content.has(entry.loc)) content.set(entry.loc, renderEntry(entry));
  }
  return content;
}

function sorted({ added, changed, removed }: Changes): Changes {
  return { added: [...added].sort(), changed: [...changed].sort(), removed: [...removed].sort() };
}

interface Comparing {
  readonly room?: number;
  readonly maxSlots?: number;
  readonly mostTold?: number;
  readonly counted?: readonly MemoryFile[];
}

export interface Packed {
  /** The XML of the entries that are new or differ. */
  readonly entries: readonly string[];
  readonly removed: readonly string[];
}

export interface Found {
  readonly end: CompareEnd;
  readonly changes: Changes;
  /** The lines of all stored parts. */
  readonly lines: Changes;
  /** The questions of the thread, as in "hashes live 1". */
  readonly asked: readonly string[];
  /** Undefined: the comparison came to no end. */
  readonly packed: Packed | undefined;
}

export async function compareInMemory(
  former: readonly MemoryFile[],
  live: readonly MemoryFile[],
  { room, maxSlots = 1 << 20, counted = [], mostTold = Number.POSITIVE_INFINITY }: Comparing = {},
): Promise<Found> {
  const stored = { former, live: [...live, ...counted] };
  const toTask = (files: readonly MemoryFile[], from: number) =>
    files.map(({ xml, entries }, i) => ({ n: from + i + 1, entries: entries.length, bytes: xml.length }));
  const task: CompareTask = {
    former: toTask(former, 0),
    live: toTask(live, 0),
    counted: toTask(counted, live.length),
    mostTold,
    packFor: PACKED_FOR,
    room: room ?? [...former, ...live].reduce((sum, { entries }) => sum + entries.length, 0),
    maxSlots,
  };
  const changes: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  const lines: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  const asked: string[] = [];
  let pack: EntryPack | undefined;
  const end = await compareFiles(task, async (ask) => {
    if (ask.kind === 'read' || ask.kind === 'hashes') {
      const file = stored[ask.side][ask.n - 1]!;
      asked.push(`${ask.kind} ${ask.side} ${ask.n}`);
      const bytes = ask.kind === 'hashes' ? file.hashes : (file.stored ?? gzipSync(file.xml));
      // The comparison frees what it has read.
      return bytes && Uint8Array.from(bytes);
    }
    if (ask.kind === 'pack') pack = readEntryPack(Buffer.from(ask.bytes.buffer));
    else if (ask.kind === 'changes') changes[ask.change].push(...ask.locs);
    else {
      for (const line of gunzipSync(ask.bytes).toString().trimEnd().split('\n')) {
        const { change, loc }: { change: ChangeKind; loc: string } = JSON.parse(line);
        lines[change].push(loc);
      }
    }
    return undefined;
  });
  return { end, changes: sorted(changes), lines: sorted(lines), asked, packed: pack && packedOf(pack) };
}

const PACKED_FOR = 'products';

function packedOf({ fragments, keys, removedKeys, removed }: EntryPack): Packed {
  const entries = fragments.flatMap(entriesOf);
  expect(keys).toEqual(Buffer.concat(entries.map((xml) => keyOfUrl(PACKED_FOR, locOfEntry(xml)))));
  expect(removedKeys).toEqual(Buffer.concat(removed.map((loc) => keyOfUrl(PACKED_FOR, loc))));
  for (const fragment of fragments) {
    const { bytes, crc, entries: count, newsEntries, namespaces } = fragmentOf(entriesOf(fragment));
    expect(fragment).toMatchObject({ bytes, crc, entries: count, newsEntries, namespaces });
  }
  return { entries: entries.map(String).sort(), removed: [...removed].sort() };
}

/** Returns the entries that the pack must have, by the same rule as `naiveChanges`. */
export function naivePack(former: readonly MemoryFile[], live: readonly MemoryFile[]): Packed {
  const { added, changed, removed } = naiveChanges(former, live);
  const content = contentOf(live);
  return { entries: [...added, ...changed].map((loc) => content.get(loc)!).sort(), removed };
}
