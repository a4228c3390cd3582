/** From a batch's JSON to its fragment: parse, validate, render, compress. Runs in a thread. */
import { deflatePiece } from '../platform/gzip-member.ts';
import { parseEntry, type Violation } from '../sitemap/parse-entry.ts';
import { namespacesOf, renderEntry } from '../sitemap/render-entry.ts';
import { type Batch, MAX_LISTED_VIOLATIONS, type RenderResult } from './fragment.ts';

/** `batch.bytes` must be UTF-8. */
export function renderBatch(batch: Batch): RenderResult {
  const values = parseTogether(batch) ?? parseApart(batch);
  const violations: Violation[] = [];
  let violationCount = 0;
  let xml = '';
  let namespaces = 0;
  let newsEntries = 0;
  for (const [i, value] of values.entries()) {
    const index = batch.firstIndex + i;
    if (value === MALFORMED) {
      if (violationCount > 0) break;
      return { kind: 'malformed', index };
    }
    const parsed = parseEntry(value, index);
    if ('violations' in parsed) {
      violationCount += parsed.violations.length;
      violations.push(...parsed.violations.slice(0, MAX_LISTED_VIOLATIONS - violations.length));
    } else if (violationCount === 0) {
      xml += renderEntry(parsed.entry);
      namespaces |= namespacesOf(parsed.entry);
      if (parsed.entry.news !== undefined) newsEntries++;
    }
  }
  if (violationCount > 0) return { kind: 'violations', violations, count: violationCount };
  const piece = deflatePiece(Buffer.from(xml));
  return { kind: 'fragment', fragment: { ...piece, entries: values.length, newsEntries, namespaces } };
}

/** Stands for an element that is not JSON. */
const MALFORMED = Symbol('malformed');

function parseTogether(batch: Batch): unknown[] | undefined {
  try {
    return JSON.parse(`[${textOf(batch.bytes)}]`);
  } catch {
    // Not JSON somewhere: the caller looks where.
    return undefined;
  }
}

/** The elements up to the first that is not JSON. */
function parseApart(batch: Batch): unknown[] {
  const values: unknown[] = [];
  let start = 0;
  for (const end of batch.ends) {
    try {
      values.push(JSON.parse(textOf(batch.bytes.subarray(start, end))));
    } catch {
      values.push(MALFORMED);
      break;
    }
    start = end + 1;
  }
  return values;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
