/** Mistakes in a file: the place, the value found, and the rule. */
import type { Violation } from '../../client/src/answers.ts';
import { count } from './format.ts';
import { Table } from './table.tsx';
import { shownValue } from './violations-csv.ts';

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
            <code>{shownValue(violation.value)}</code>
          </td>
          <td class="violation-rule">{violation.message}</td>
        </tr>
      ))}
    </Table>
  );
}
