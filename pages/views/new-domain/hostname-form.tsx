/**
 * The form for one hostname. If the name may have a website, a warning comes while the person types, and the name is not added without a
 * confirmation.
 */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { CheckedHostname, RegisteredDomain } from '../../../client/src/answers.ts';
import { domainPage, useRenewDomain } from '../../api/domain.ts';
import { useImport } from '../../api/import-list.ts';
import { ask } from '../../api/request.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Field, fieldError } from '../../parts/field.tsx';
import { capital } from '../../parts/format.ts';
import { onSend } from '../../parts/on-send.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { VERBATIM } from '../../parts/verbatim.ts';
import { WebsiteWarning } from '../../parts/website-warning.tsx';
import { checkHostnames } from './check-hostnames.ts';
import { hostOf } from './host-of.ts';

const yes = () => true;
const no = () => false;

/** After this time without a change, the person has stopped typing. */
const PAUSE_MS = 500;

const checkOf = (host: string) => ({
  queryKey: ['hostname', host],
  queryFn: async () => (await checkHostnames([host]))[0]!,
  staleTime: 30_000,
  retry: false,
});

export interface HostnameFormProps {
  readonly first: string;
  /** The address to import from once the domain exists. */
  readonly source: string | undefined;
}

export function HostnameForm({ first, source }: HostnameFormProps) {
  const [typed, setTyped] = useState(first);
  const host = hostOf(typed);
  const settled = useSettled(host, PAUSE_MS);
  const client = useQueryClient();
  const { route } = useLocation();
  const renew = useRenewDomain('new');
  const begin = useImport('new');
  const isWhole = settled === host && /[^.]\.[^.]{2}/.test(host);
  const { data } = useQuery({ ...checkOf(settled), enabled: isWhole });
  const checked = settled === host ? data : undefined;
  const add = async (website?: false) => {
    const body = { hostname: host, ...(website === false && { website }) };
    const domain = await ask<RegisteredDomain>('POST', 'domains', body);
    announce(`${domain.hostname} is added.`);
    // If the import is refused, the page of the domain has the same field.
    const isBegun = source !== undefined && (await begin(domain, source).then(yes, no));
    if (!isBegun) route(domainPage(domain.id));
    await renew();
  };
  const { isBusy, failure, run } = useWork(async () => {
    // A person may press Enter before the pause. If the check gives no answer, the service warns on the next page.
    const known = await client.fetchQuery(checkOf(host)).catch(() => undefined);
    if (known?.state !== 'website') await add();
  });
  const anyway = useWork(() => add(false));
  const isWarned = checked?.state === 'website';
  const said = checked && isWhole ? saidOf(checked) : undefined;
  return (
    <form onSubmit={onSend(run)}>
      <Field
        label="Host for your sitemaps"
        hint={
          checked?.hostname && checked.unicode !== checked.hostname
            ? `In DNS: ${checked.hostname}`
            : undefined
        }
        error={fieldError(anyway.failure ?? failure) ?? said}
      >
        {(tied) => (
          <input
            {...tied}
            type="text"
            inputMode="url"
            required
            {...VERBATIM}
            placeholder="sitemaps.example.com"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onPaste={(event) => {
              const pasted = event.clipboardData?.getData('text') ?? '';
              if (!pasted.includes('/')) return;
              event.preventDefault();
              setTyped(hostOf(pasted));
            }}
          />
        )}
      </Field>
      {isWarned && (
        <WebsiteWarning hostname={checked.unicode ?? checked.hostname ?? host} address={checked.addresses[0]}>
          {checked.suggestion && (
            <button type="button" class="primary" onClick={() => setTyped(checked.suggestion!)}>
              Use {checked.suggestion}
            </button>
          )}
        </WebsiteWarning>
      )}
      <div class="buttons">
        {isWarned ? (
          <button type="button" class="plain" aria-disabled={anyway.isBusy} onClick={anyway.run}>
            {anyway.isBusy ? 'Adding …' : "It isn't a website. Use it anyway"}
          </button>
        ) : (
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? 'Adding …' : 'Add domain'}
          </button>
        )}
        <a class="button" href="/dashboard">
          Cancel
        </a>
        <a class="small" href="/dashboard/domains/new?several">
          Add several
        </a>
      </div>
    </form>
  );
}

function saidOf({ state, message }: CheckedHostname): string | undefined {
  if (message === null || state === 'free' || state === 'website') return undefined;
  return capital(message);
}
