/** The mistakes with one cause: their number, examples from the file, and a button for each parameter that mends all of them. */
import type { Violation, ViolationKind } from '../../../../client/src/answers.ts';
import { count, counted } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Table } from '../../../parts/table.tsx';
import { shownValue } from '../../../parts/violations-csv.ts';
import { browserZone } from '../form/use-reading.ts';
import { sayCure } from '../say-parameters.ts';
import { CureButton, type Remedy } from './cure-button.tsx';
import type { Cure } from './cure-in.ts';
import { fieldWithin, rowOf } from './found-mistakes.ts';
import { sayMistake } from './say-mistake.ts';

export interface MistakeGroupProps {
  readonly kind: ViolationKind;
  readonly errors: readonly Violation[];
  readonly isOpen: boolean;
  /** Undefined if the file is not here any more. */
  readonly remedy: Remedy | undefined;
}

const SHOWN = 5;

export function MistakeGroup({ kind, errors, isOpen, remedy }: MistakeGroupProps) {
  const { field, message, count: number, value } = kind;
  const { title, rule } = sayMistake(message, field);
  const examples = errors.filter((error) => isOfKind(error, kind)).slice(0, SHOWN);
  const shown = shownValue(value);
  return (
    <details class="group" {...(isOpen && { open: true })}>
      <summary>
        <Icon name="right" />
        <span>
          <strong>{title}</strong>
          <span class="below">
            Row {rowOf(kind)}
            {shown && `: ${shown}`}
          </span>
        </span>
        <span class="quiet nowrap">{counted(number, 'row')}</span>
      </summary>
      <div>
        {rule && <p class="hint">{rule}.</p>}
        {remedy &&
          kind.cures.map((cure) => <CureOf key={cure.dates} {...{ cure: { ...cure }, kind, remedy }} />)}
        {examples.length > 0 && (
          <Table label={`Rows: ${title}`} asCards head={['Row', 'Column', 'In your file']}>
            {examples.map((error, i) => (
              <tr key={i}>
                <td class="quiet nowrap" data-label="Row">
                  {rowOf(error)}
                </td>
                <td class="quiet" data-label="Column">
                  {field === 'line' ? 'The whole row' : field}
                </td>
                <td>
                  <mark>
                    <code>{shownValue(error.value) || 'nothing'}</code>
                  </mark>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </div>
    </details>
  );
}

interface CureOfProps extends Pick<MistakeGroupProps, 'kind'> {
  readonly cure: Cure;
  readonly remedy: Remedy;
}

function CureOf({ cure, kind, remedy }: CureOfProps) {
  // The service suggests UTC, because only people know the zone. The zone of the browser is more likely.
  const here = cure.timezone === undefined ? cure : { ...cure, timezone: browserZone() };
  return (
    <div class="remedy">
      <span>
        {kind.count === 1 ? 'It is' : `All ${count(kind.count)} are`} valid as {sayCure(here)}.
      </span>
      <CureButton cure={here} remedy={remedy} />
    </div>
  );
}

const isOfKind = ({ field, message }: Violation, kind: ViolationKind) =>
  message === kind.message && fieldWithin(field) === kind.field;
