/** Says where the two paths differ: on the smallest text of an entry that shows it, with both results. */
import { isDeepStrictEqual } from 'node:util';
import { constants, inflateRawSync } from 'node:zlib';
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import { batchOfTexts } from '../../uploads/batches.ts';

const MAX_SHOWN_CHARACTERS = 4_000;
/** Attempts to shorten a text. Long texts need more, but nobody wants to wait for them. */
const MAX_ATTEMPTS = 3_000;

const normative = new BatchRenderer(false);
let fast = new BatchRenderer();

/** `before`: entries that the renderer had rendered earlier. It may have kept state of them. */
export function describeDifference(
  texts: readonly string[],
  firstIndex: number,
  before: readonly string[],
): string {
  const single = texts.find((text) => differs([text]));
  if (single !== undefined) return describeEntry(single);
  if (differs(texts, firstIndex)) return describeBatch(texts, firstIndex);
  const last = texts.find((text) => differsAfter(before, text));
  if (last !== undefined) return describeState(before, last);
  return `The kernel and the normative path differ on a batch that is no longer wrong alone:\n${shown(texts.join('\n'))}`;
}

function describeEntry(text: string): string {
  const smallest = shorten(text);
  return [
    `The kernel and the normative path differ on the entry\n${shown(text)}`,
    `Smallest text that differs:\n${shown(smallest)}`,
    ...bothResults([smallest], 0),
  ].join('\n\n');
}

function describeBatch(texts: readonly string[], firstIndex: number): string {
  const fewest = withoutNeedless(texts, (some) => differs(some, firstIndex));
  return [
    `The kernel and the normative path differ on a batch from index ${firstIndex}, not on any entry alone:`,
    shown(fewest.join('\n')),
    ...bothResults(fewest, firstIndex),
  ].join('\n\n');
}

function describeState(before: readonly string[], last: string): string {
  const fewest = withoutNeedless(before, (some) => differsAfter(some, last));
  return [
    `The kernel and the normative path differ on the entry\n${shown(last)}`,
    `but only if the kernel has read these entries before:\n${shown(fewest.join('\n'))}`,
  ].join('\n\n');
}

function differsAfter(before: readonly string[], text: string): boolean {
  fast = new BatchRenderer();
  for (const earlier of before) result(fast, [earlier], 0);
  return differs([text]);
}

function bothResults(texts: readonly string[], firstIndex: number): string[] {
  return [
    `kernel:    ${shown(JSON.stringify(result(fast, texts, firstIndex)))}`,
    `normative: ${shown(JSON.stringify(result(normative, texts, firstIndex)))}`,
  ];
}

function differs(texts: readonly string[], firstIndex = 0): boolean {
  return !isDeepStrictEqual(result(fast, texts, firstIndex), result(normative, texts, firstIndex));
}

/** The XML in place of its compressed bytes, so that a difference is readable. */
function result(by: BatchRenderer, texts: readonly string[], firstIndex: number): unknown {
  try {
    const { entriesByPath: _, ...rendered } = by.render(batchOfTexts(texts, firstIndex));
    if (rendered.kind !== 'fragments') return rendered;
    return rendered.fragments.map(({ deflated, ...rest }) => {
      return { ...rest, xml: inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString() };
    });
  } catch (error) {
    // A trap may leave the kernel in any state.
    fast = new BatchRenderer();
    return { thrown: String(error) };
  }
}

/** Keeps valid JSON valid: otherwise it would shrink to some other difference. */
function shorten(text: string): string {
  const wasJson = isJson(text);
  const isSmaller = (characters: readonly string[]) => {
    const shorter = characters.join('');
    return shorter !== '' && isJson(shorter) === wasJson && differs([shorter]);
  };
  return withoutNeedless(Array.from(text), isSmaller).join('');
}

/** Removes runs of elements, the longest first, as long as the rest still shows the difference. */
function withoutNeedless<T>(all: readonly T[], stillDiffers: (some: readonly T[]) => boolean): readonly T[] {
  let left = all;
  let attempts = 0;
  for (let run = left.length >> 1; run >= 1; run >>= 1) {
    for (let at = 0; at < left.length && attempts < MAX_ATTEMPTS; attempts++) {
      const fewer = left.toSpliced(at, run);
      if (fewer.length > 0 && stillDiffers(fewer)) left = fewer;
      else at += run;
    }
  }
  return left;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARACTERS)}… (${text.length} characters)`;
}
