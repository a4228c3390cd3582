/**
 * Places the entries of a new upload in the files of the live generation, in a thread of its own, so that only files with a change are
 * written again:
 *
 * ```
 * hashes of both sides → differences → the texts of new and changed entries → changed files → further files
 * ```
 * New entries go to the last file, then to further files. Memory holds the differences, the texts of new and changed entries, and a few
 * files.
 */
import { DamagedFile } from '../../entries/entry-kernel.ts';
import { areManyChangedInPlace } from './changed-in-place.ts';
import { EntryReader } from './entry-reader.ts';
import { readTexts } from './entry-texts.ts';
import { FilesWriter } from './files-writer.ts';
import { joinEntries } from './join-entries.ts';
import type { AskMain, PlaceEnd, PlaceTask } from './messages.ts';
import { planFiles } from './plan-files.ts';

/** The most entries that are new or changed, as a part of all. With more, hardly a file stays as it is. */
const MAX_WANTED = 0.2;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** If this part of the files changes anyway, crawlers gain little by the other files, and writing in order costs less. */
const MOST_FILES = 0.9;

const MANY_CHANGES: PlaceEnd = { kind: 'order', reason: 'many-changes' };

/** Places the files, or says why they stay in the order of the list. Only tests set `mostFiles`. */
export async function placeFiles(
  task: PlaceTask,
  ask: AskMain,
  mostFiles: number = MOST_FILES,
): Promise<PlaceEnd> {
  try {
    return await place(task, ask, mostFiles);
  } catch (error) {
    if (error instanceof DamagedFile) return { kind: 'order', reason: 'unreadable' };
    throw error;
  }
}

async function place(task: PlaceTask, ask: AskMain, mostFiles: number): Promise<PlaceEnd> {
  const { seed, former, live, entriesPerFile } = task;
  const reader = new EntryReader(task, ask);
  const urls = live.reduce((sum, { entries }) => sum + entries, 0);
  const maxWanted = MAX_WANTED * urls;
  if (await areManyChangedInPlace(reader, task, maxWanted)) return MANY_CHANGES;
  const differences = await joinEntries(reader, seed, maxWanted);
  if (differences === undefined) return MANY_CHANGES;
  const plan = planFiles(former, differences, entriesPerFile);
  if (plan.changedFiles >= mostFiles * former.length) return MANY_CHANGES;
  const texts = await readTexts(reader, live, differences.wanted, MAX_TEXT_BYTES);
  if (texts === undefined) return MANY_CHANGES;
  const writer = new FilesWriter({ ...task, reader, send: (file) => ask({ kind: 'file', file }) });
  return { kind: 'placed', positions: await writer.write(plan, texts) };
}
