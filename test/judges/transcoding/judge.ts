/**
 * Compares the fast path with the normative one on any texts of entries. One renderer serves all calls, as in a thread,
 * so state that survives a batch shows too.
 */
import { isDeepStrictEqual } from 'node:util';
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import type { Batch } from '../../../src/features/uploads/fragment.ts';
import { countEntries } from '../../support/judged-entries.ts';
import { batchOfTexts } from '../../uploads/batches.ts';
import { describeDifference } from './describe-difference.ts';
import { expectedOutcome, type Outcome, outcomeOf, type Verdict, verdictOn } from './verdicts.ts';

/** Short enough that a batch of invalid entries lists all violations. */
const INVALID_ENTRIES_AT_ONCE = 20;
const ENTRIES_AT_ONCE = 200;

/** Enough to find the entry that left its state behind. */
const REMEMBERED_ENTRIES = 10_000;

let renderer = new BatchRenderer();
let before: string[] = [];

interface JudgedText {
  readonly text: string;
  readonly verdict: Verdict;
}

/**
 * Throws at a difference, with the smallest text that shows it. Judges the entries sorted by their verdicts: one invalid
 * entry hides the XML of its batch, and one malformed entry hides all that follow.
 */
export function judgeEntries(texts: readonly string[], firstIndex = 0): void {
  const judged = texts.map(judgeText);
  const of = (kind: Verdict['kind']) => judged.filter(({ verdict }) => verdict.kind === kind);
  judgeBatch(of('valid'), firstIndex);
  const invalid = of('invalid');
  for (let i = 0; i < invalid.length; i += INVALID_ENTRIES_AT_ONCE) {
    judgeBatch(invalid.slice(i, i + INVALID_ENTRIES_AT_ONCE), firstIndex);
  }
  for (const one of of('malformed')) judgeBatch([one], firstIndex);
}

/** Judges any number of entries, some hundred at a time. */
export function judgeAll(texts: Iterable<string>): void {
  let some: string[] = [];
  for (const text of texts) {
    some.push(text);
    if (some.length < ENTRIES_AT_ONCE) continue;
    judgeEntries(some);
    some = [];
  }
  judgeEntries(some);
}

/** Judges the entries as they come, as one batch. */
export function judgeMixedEntries(texts: readonly string[], firstIndex = 0): void {
  judgeBatch(texts.map(judgeText), firstIndex);
}

function judgeText(text: string): JudgedText {
  countEntries(1);
  return { text, verdict: verdictOn(text) };
}

function judgeBatch(judged: readonly JudgedText[], firstIndex: number): void {
  if (judged.length === 0) return;
  const texts = judged.map(({ text }) => text);
  const expected = expectedOutcome(
    judged.map(({ verdict }) => verdict),
    firstIndex,
  );
  const batch = batchOfTexts(texts, firstIndex);
  if (!isDeepStrictEqual(render(renderer, batch), expected)) {
    renderer = new BatchRenderer();
    throw new Error(describeDifference(texts, firstIndex, before));
  }
  if (before.length > REMEMBERED_ENTRIES) before = [];
  before.push(...texts);
}

/** Like in a thread: the batch's bytes are gone afterwards, so the renderer must not keep a view of them. */
function render(by: BatchRenderer, batch: Batch): Outcome | { kind: 'thrown'; error: unknown } {
  try {
    const outcome = outcomeOf(by.render(batch));
    batch.bytes.buffer.transfer(0);
    return outcome;
  } catch (error) {
    return { kind: 'thrown', error };
  }
}
