/** The rows of the table `ordinary`: plain entries, and the variants that common producers write. */
import { generatedEntry } from '../../tools/generated-upload.ts';
import { CORE_COUNT, type EntryKind } from './entry-kind.ts';
import { EXTENSION_KINDS } from './extension-kinds.ts';
import { MEMBER_KINDS } from './member-kinds.ts';
import { URL_KINDS } from './url-kinds.ts';

const PLAIN: EntryKind = {
  name: 'plain',
  writtenBy: 'JavaScript',
  count: CORE_COUNT,
  ratioGoal: 0.55,
  textOf: (i) => JSON.stringify(generatedEntry(i)),
};

/** All kinds. No two have the same name. */
export const ENTRY_KINDS: readonly EntryKind[] = [PLAIN, ...URL_KINDS, ...MEMBER_KINDS, ...EXTENSION_KINDS];
