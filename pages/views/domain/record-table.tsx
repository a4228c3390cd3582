/** Records in the form of a DNS provider: the text to enter, the text that was found, and the state. Faults are tinted. */
import type { DnsAdvice } from '../../../client/src/answers.ts';
import { State } from '../../parts/chip.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Table } from '../../parts/table.tsx';
import { type DnsRow, stateWord } from './dns-rows.ts';

export function RecordTable({ rows }: { readonly rows: readonly DnsRow[] }) {
  return (
    <Table asCards label="DNS record" head={['Field', 'Enter this', 'We found', 'State']}>
      {rows.map((row) => (
        <Row key={row.field} row={row} />
      ))}
    </Table>
  );
}

function Row({ row }: { readonly row: DnsRow }) {
  const { field, enter, copied, found, tone, word, message, copy } = row;
  const isWrong = tone === 'bad';
  const kind = [isWrong && 'wrong', message && 'has-more'].filter(Boolean).join(' ');
  return (
    <>
      <tr class={kind || undefined}>
        <th scope="row">{field}</th>
        <td data-label="Enter this">
          {copied ? <Copyable text={enter} label={copied} /> : <span>{enter}</span>}
        </td>
        <td data-label="We found">
          {copied && found !== 'Nothing' ? <code>{found}</code> : <span>{found}</span>}
        </td>
        <td data-label="State">
          {word === '–' ? <span class="quiet">–</span> : <State tone={tone}>{word}</State>}
        </td>
      </tr>
      {message && (
        <tr class={isWrong ? 'wrong' : undefined}>
          <td />
          <td colSpan={3}>
            <span class="buttons">
              <span class={isWrong ? 'error' : 'quiet'}>{message}</span>
              {copy && <Copyable text={copy} label="the value to use" />}
            </span>
          </td>
        </tr>
      )}
    </>
  );
}

/** The records for a name that cannot have a CNAME record: our addresses, and a text that proves the owner. */
export function AlternativeTable({ records }: { readonly records: readonly DnsAdvice[] }) {
  return (
    <Table asCards label="Records in place of a CNAME record" head={['Type', 'Name', 'Value', 'State']}>
      {records.map(({ type, name, value, state }) => {
        const { tone, word } = stateWord(state);
        return (
          <tr key={`${type} ${value}`} class={tone === 'bad' ? 'wrong' : undefined}>
            <th scope="row">{type}</th>
            <td data-label="Name">
              <Copyable text={name} label={`the name of the ${type} record`} />
            </td>
            <td data-label="Value">
              <Copyable text={value} label={`the value of the ${type} record`} />
            </td>
            <td data-label="State">
              <State tone={tone}>{word}</State>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
