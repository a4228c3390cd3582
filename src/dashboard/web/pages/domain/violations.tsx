/** The faults of an upload, each with its place. */
import type { UploadAttempt, Violation } from '../../../../../client/src/answers.ts';
import { count, counted } from '../../parts/format.ts';
import { placeOf } from './outcome.ts';

export function Violations({ attempt }: { readonly attempt: UploadAttempt }) {
  const { errors, errorCount } = attempt;
  if (errors.length === 0) return null;
  return (
    <details>
      <summary>{counted(errorCount, 'error')}</summary>
      <ol class="violations">
        {errors.map((violation) => (
          <li key={`${placeOf(violation)} ${violation.message}`}>
            <strong>{placeOf(violation)}</strong> {violation.message}
            <Value of={violation} />
          </li>
        ))}
      </ol>
      {errorCount > errors.length && (
        <p class="quiet">
          These are the first {count(errors.length)}. Correct their cause, and send it again.
        </p>
      )}
    </details>
  );
}

function Value({ of: { value } }: { readonly of: Violation }) {
  if (value === null || value === undefined) return null;
  return <code class="below">{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}
