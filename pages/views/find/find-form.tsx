/** The form for the URL and the domain to look in. The address of the page has both. */
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { findPage } from '../../api/find-page.ts';
import { domainsQuery } from '../../api/queries.ts';
import { Fault } from '../../parts/fault.tsx';
import { count } from '../../parts/format.ts';
import { onSend } from '../../parts/on-send.ts';

export interface FindFormProps {
  readonly url: string;
  /** The hostname of the domain to search. Empty: all domains. */
  readonly domain: string;
  readonly fault: string | undefined;
}

export function FindForm({ url, domain, fault }: FindFormProps) {
  const { route } = useLocation();
  const id = useId();
  const [typed, setTyped] = useState(url);
  const [where, setWhere] = useState(domain);
  // The form stays when the address changes, so that the focus stays in it.
  useEffect(() => setTyped(url), [url]);
  useEffect(() => setWhere(domain), [domain]);
  return (
    <search aria-label="In detail">
      <form class="find-form" onSubmit={onSend(() => route(findPage(typed.trim(), where)))}>
        <div class="field">
          <input
            type="text"
            inputMode="url"
            aria-label="URL"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://www.example.com/page"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            {...(fault && { 'aria-invalid': true, 'aria-describedby': id })}
          />
          <Fault id={id}>{fault}</Fault>
        </div>
        <Where chosen={where} choose={setWhere} />
        <button type="submit" class="primary">
          Find
        </button>
      </form>
    </search>
  );
}

/** The choice of the domain to search: the first 100 domains, and the one that the address of the page names. */
function Where({ chosen, choose }: { readonly chosen: string; readonly choose: (hostname: string) => void }) {
  const { data } = useQuery(domainsQuery());
  const hostnames = data?.rows.map(({ hostname }) => hostname) ?? [];
  const all = chosen === '' || hostnames.includes(chosen) ? hostnames : [chosen, ...hostnames];
  const isWhole = data !== undefined && data.next === undefined;
  return (
    <select aria-label="Where" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">
        {isWhole && all.length > 1 ? `In all ${count(all.length)} domains` : 'In all domains'}
      </option>
      {all.map((hostname) => (
        <option key={hostname} value={hostname}>
          {hostname}
        </option>
      ))}
    </select>
  );
}
