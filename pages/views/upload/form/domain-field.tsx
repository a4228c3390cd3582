/**
 * The choice of the domain for the sitemap. If there are many domains, the person can search. A domain that is not served yet is marked.
 */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { DomainRow } from '../../../../src/edges/dashboard/wire.ts';
import { domainPage, domainQuery } from '../../../api/domain.ts';
import { domainsQuery } from '../../../api/queries.ts';
import { domainState, isServed } from '../../../parts/domain-state.ts';
import { Fault } from '../../../parts/fault.tsx';
import { Field, type TiedInput } from '../../../parts/field.tsx';
import { onEnter } from '../../../parts/on-enter.ts';
import { LoadFailure, Loading } from '../../../parts/states.tsx';
import type { ChosenDomain, Settings } from '../settings.ts';
import type { ChosenFile } from './chosen-file.ts';

export interface DomainFieldProps {
  readonly settings: Settings;
  readonly change: (part: Partial<Settings>) => void;
  readonly chosen: Pick<ChosenFile, 'form'>;
  /** The members of a JSON document other than its entries. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly fault: string | undefined;
}

/** The value of the choice "as the JSON document says". */
const IN_FILE = 'in-file';
/** With more domains than this, there is a search field. */
const SEARCHED_FROM = 15;

export function DomainField({ settings, change, chosen, document, fault }: DomainFieldProps) {
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useDomains(search);
  const [isMany, setMany] = useState(false);
  const rows = data?.rows ?? [];
  useEffect(() => {
    if (rows.length > SEARCHED_FROM) setMany(true);
  }, [data]);
  if (data === undefined || (rows.length === 0 && search === '')) {
    return (
      <>
        {data ? <NoDomain /> : error ? <LoadFailure error={error} again={refetch} /> : <Loading />}
        <Fault>{fault}</Fault>
      </>
    );
  }
  return (
    <>
      {isMany && (
        <Field
          label="Search domains"
          hint={
            rows.length === 0
              ? `No domain has “${search}” in its name.`
              : data.next && 'The list has the first 100. Search to find the others.'
          }
        >
          {(tied) => (
            <input
              {...tied}
              type="search"
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
              // The form would publish to the domain that was chosen before.
              onKeyDown={onEnter()}
            />
          )}
        </Field>
      )}
      <Field label="Domain" hint={<Hint {...{ settings, chosen, document, rows }} />} error={fault}>
        {(tied) => <Choice {...{ tied, settings, change, chosen, rows }} />}
      </Field>
    </>
  );
}

interface ChoiceProps extends Omit<DomainFieldProps, 'fault' | 'document'> {
  readonly tied: TiedInput;
  readonly rows: readonly DomainRow[];
}

function Choice({ tied, settings, change, chosen, rows }: ChoiceProps) {
  const { domain, isDomainInFile } = settings;
  const isJson = chosen.form === 'json';
  const isFound = rows.some(({ id }) => id === domain?.id);
  return (
    <select
      {...tied}
      value={isJson && isDomainInFile ? IN_FILE : (domain?.id ?? '')}
      onChange={({ currentTarget: { value } }) => {
        const row = rows.find(({ id }) => id === value);
        change({ isDomainInFile: value === IN_FILE, ...(row && { domain: row }) });
      }}
    >
      {domain === undefined && <option value="">Choose …</option>}
      {isJson && <option value={IN_FILE}>The file names it</option>}
      {domain && !isFound && <option value={domain.id}>{domain.hostname}</option>}
      {rows.map((row) => (
        <option key={row.id} value={row.id}>
          {isServed(row) ? row.hostname : `${row.hostname} (${domainState(row).word})`}
        </option>
      ))}
    </select>
  );
}

type HintProps = Pick<DomainFieldProps, 'settings' | 'chosen' | 'document'> & Pick<ChoiceProps, 'rows'>;

function Hint({ settings, chosen, document, rows }: HintProps) {
  if (chosen.form === 'json' && settings.isDomainInFile) {
    const { domain } = document;
    return (
      <>{typeof domain === 'string' ? `It says: ${domain}` : 'Its member “domain” says where it goes.'}</>
    );
  }
  const row = rows.find(({ id }) => id === settings.domain?.id);
  if (row === undefined || isServed(row)) return null;
  return (
    <>
      It isn't served yet. You can upload now: crawlers see it once the domain is verified.{' '}
      <a href={domainPage(row.id)}>Finish the domain</a>
    </>
  );
}

function NoDomain() {
  return (
    <div class="notice">
      <p>Add a domain first</p>
      <a href="/dashboard/domains/new">Add a domain</a>
    </div>
  );
}

function useDomains(search: string) {
  return useQuery({
    ...domainsQuery(search),
    placeholderData: keepPreviousData,
  });
}

/**
 * Chooses the domain in the address of the page, or the only domain. Returns whether this choice is still to come. Until then, a person who
 * sends the form would be told to choose a domain.
 */
export function useFirstDomain(
  id: string | null,
  domain: ChosenDomain | undefined,
  choose: (domain: ChosenDomain) => void,
): boolean {
  const named = useQuery({ ...domainQuery(id ?? ''), enabled: id !== null && domain === undefined });
  const all = useDomains('');
  const [only, ...others] = all.data?.rows ?? [];
  const first = named.data ?? (others.length === 0 ? only : undefined);
  // Choose before the next click: the listener of that click must see the choice.
  useLayoutEffect(() => {
    if (first && domain === undefined) choose({ id: first.id, hostname: first.hostname });
  }, [first?.id]);
  return domain === undefined && (first !== undefined || named.isLoading || all.isLoading);
}
