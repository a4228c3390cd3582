/** Mistakes in a file: where, what stands there, and what should. */
import type { Violation } from '../../../../client/src/answers.ts';
import { count } from './format.ts';
import { Table } from './table.tsx';

export function Violations({ violations }: { readonly violations: readonly Violation[] }) {
  const hasLines = violations.some(({ line }) => line !== undefined);
  const head = [...(hasLines ? [{ name: 'Line', isNumber: true } as const] : []), 'Field', 'Value', 'Rule'];
  return (
    <Table label="Mistakes" head={head}>
      {violations.map((violation, i) => (
        // The same mistake may stand there twice.
        <tr key={i}>
          {hasLines && <td class="number">{violation.line === undefined ? '–' : count(violation.line)}</td>}
          <td class="violation-field">
            <code>{violation.field}</code>
          </td>
          <td class="violation-value">
            <code>{shown(violation.value)}</code>
          </td>
          <td class="violation-rule">{violation.message}</td>
        </tr>
      ))}
    </Table>
  );
}

/** For a spreadsheet. */
export function violationsCsv(violations: readonly Violation[]): string {
  const rows = violations.map(({ line, index, field, value, message }) => [
    String(line ?? ''),
    index === undefined ? '' : String(index + 1),
    field,
    shown(value),
    message,
  ]);
  const lines = [['line', 'entry', 'field', 'value', 'message'], ...rows].map((cells) =>
    cells.map(cell).join(','),
  );
  // The mark tells Excel that this is UTF-8.
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

/** A spreadsheet runs a cell that begins like a formula, so it gets an apostrophe. */
function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
