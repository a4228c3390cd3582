/** The first entries of the forms that have one on each line. */
import { cellText, type FirstEntries, SHOWN_ENTRIES } from './first-entries.ts';
import { isObject, type JsonObject, tableOf } from './object-entries.ts';

const WEB_ADDRESS = /^https?:\/\//i;

interface Line {
  /** From 1. */
  readonly n: number;
  readonly text: string;
}

export function textEntries(text: string, isWhole: boolean): FirstEntries {
  const lines = firstLines(text, isWhole);
  const wrong = lines.find((line) => !WEB_ADDRESS.test(line.text));
  const problem = wrong && `Line ${wrong.n} is not an address with http or https: ${cellText(wrong.text)}`;
  return {
    columns: ['loc'],
    rows: lines.map((line) => [cellText(line.text)]),
    problems: problem ? [problem] : [],
  };
}

export function ndjsonEntries(text: string, isWhole: boolean): FirstEntries {
  const problems: string[] = [];
  const entries: JsonObject[] = [];
  for (const line of firstLines(text, isWhole)) {
    const entry = parsed(line.text);
    if (!isObject(entry)) problems.push(`Line ${line.n} is not one JSON object.`);
    else if (!('loc' in entry)) problems.push(`Line ${line.n} has no “loc”.`);
    if (isObject(entry)) entries.push(entry);
  }
  return { ...tableOf(entries), problems: problems.slice(0, 1) };
}

/** Without blank ones, and without one that is cut. */
function firstLines(text: string, isWhole: boolean): Line[] {
  const all = text.split('\n', SHOWN_ENTRIES * 20);
  const isCut = !isWhole && all.length < SHOWN_ENTRIES * 20;
  return all
    .slice(0, isCut ? -1 : undefined)
    .map((line, i) => ({ n: i + 1, text: line.trim() }))
    .filter((line) => line.text !== '')
    .slice(0, SHOWN_ENTRIES);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
