/** DNS records: those that are wanted, to be copied one value at a time, and those that were found. */
import type { DnsRecord, DomainDetails } from '../../../client/src/answers.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Table } from '../../parts/table.tsx';
import { hasAnswer } from './dns-state.ts';

export function WantedRecord({ record, label }: { readonly record: DnsRecord; readonly label: string }) {
  return (
    <dl class="facts record">
      <dt>Type</dt>
      <dd>
        <Copyable text={record.type} label={`the type of ${label}`} />
      </dd>
      <dt>Name</dt>
      <dd>
        <Copyable text={record.name} label={`the name of ${label}`} />
      </dd>
      <dt>Value</dt>
      <dd>
        <Copyable text={record.value} label={`the value of ${label}`} />
      </dd>
    </dl>
  );
}

export function Alternative({ dns, hostname }: Pick<DomainDetails, 'dns' | 'hostname'>) {
  return (
    <details>
      <summary>If this name cannot have a CNAME record</summary>
      <div class="stack">
        <p>
          Give <code>{hostname}</code> the addresses of <code>{dns.wanted.value}</code> and no others, for
          instance by an ALIAS or ANAME record. Then create this record beside it:
        </p>
        <WantedRecord record={dns.alternative} label="the TXT record" />
      </div>
    </details>
  );
}

export function FoundRecords({ dns }: Pick<DomainDetails, 'dns'>) {
  if (dns.found.length === 0)
    return hasAnswer(dns) ? <p>The last check found no record of this name.</p> : null;
  return (
    <div class="stack">
      <h3>Found at the last check</h3>
      <Table label="Records found at the last check" head={['Type', 'Name', 'Value']}>
        {dns.found.map(({ type, name, value }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td class="nowrap">{type}</td>
            <td class="wide">{name}</td>
            <td class="wide">
              <code>{value}</code>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
