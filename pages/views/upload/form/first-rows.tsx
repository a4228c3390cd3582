/**
 * The first rows as they will be published, each with its first mistake if it has any. If the service would refuse the file, the reason
 * stands in their place.
 */
import { Card } from '../../../parts/card.tsx';
import { Chip, State } from '../../../parts/chip.tsx';
import { count } from '../../../parts/format.ts';
import { Table } from '../../../parts/table.tsx';
import { Url } from '../../../parts/url.tsx';
import { sayMistake } from '../mistakes/say-mistake.ts';
import type { Beginning } from '../reading.ts';
import { sayDate } from '../say-date.ts';

const SHOWN = 5;
/** The members of an entry that are shown. The service shortens their values. */
interface ShownEntry {
  readonly loc?: unknown;
  readonly lastmod?: unknown;
}

export function FirstRows({ beginning: { preview } }: { readonly beginning: Beginning }) {
  const rows = preview.rows.slice(0, SHOWN);
  const { refusal } = preview;
  if (refusal !== undefined) {
    return (
      <div class="notice notice-bad" role="alert">
        <p>{sayMistake(refusal.message).title}</p>
      </div>
    );
  }
  if (rows.length === 0) {
    return (
      <div class="notice notice-bad" role="alert">
        <p>The file has no URLs.</p>
      </div>
    );
  }
  const valid = rows.filter(({ violations }) => violations.length === 0).length;
  const rules = [
    ...new Set(rows.flatMap(({ violations: [first] }) => (first && sayMistake(first.message).rule) ?? [])),
  ];
  const isLined = rows.some(({ line }) => line !== undefined);
  return (
    <Card
      title={
        rows.length === 1
          ? 'The first row, as it will be published'
          : `The first ${rows.length} rows, as they will be published`
      }
      lead="Checked by Waypost just now. Nothing is published yet."
      aside={<Chip tone={valid === rows.length ? 'good' : 'bad'}>{`${valid} of ${rows.length} valid`}</Chip>}
    >
      <div class={isLined ? 'first-rows first-rows-lined' : 'first-rows'}>
        <Table label="Preview" asCards head={[...(isLined ? ['Row'] : []), 'URL', 'Last modified', 'State']}>
          {rows.map(({ line, entry, violations }, i) => {
            const { loc, lastmod } = (entry ?? {}) as ShownEntry;
            const [first] = violations;
            const said = first && sayMistake(first.message, first.field);
            return (
              <tr key={i}>
                {isLined && <td class="quiet wide-only">{line === undefined ? '' : count(line)}</td>}
                <td class="cut">
                  <Url url={typeof loc === 'string' ? loc : ''} />
                </td>
                <td class="nowrap" data-label="Last modified">
                  {typeof lastmod === 'string' || typeof lastmod === 'number' ? (
                    sayDate(String(lastmod))
                  ) : (
                    <span class="quiet">No date</span>
                  )}
                </td>
                <td>
                  <State tone={said ? 'bad' : 'good'}>{said?.title ?? 'Valid'}</State>
                </td>
              </tr>
            );
          })}
        </Table>
      </div>
      {rules.map((rule) => (
        <p class="hint" key={rule}>
          {rule}.
        </p>
      ))}
    </Card>
  );
}
