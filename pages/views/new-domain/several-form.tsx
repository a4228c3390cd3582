/** The form for up to 50 hostnames at once. The service checks them first, and only those without an objection are added. */
import { useState } from 'preact/hooks';
import type { CheckedHostname, RegisteredDomain } from '../../../client/src/answers.ts';
import { domainPage, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { State } from '../../parts/chip.tsx';
import { Field, fieldError } from '../../parts/field.tsx';
import { capital, counted } from '../../parts/format.ts';
import { messageOf } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Tone } from '../../parts/tone.ts';
import { VERBATIM } from '../../parts/verbatim.ts';
import { checkHostnames, MAX_HOSTNAMES } from './check-hostnames.ts';
import { hostsOf } from './host-of.ts';

const WORDS: Readonly<Record<CheckedHostname['state'], { readonly tone: Tone; readonly word: string }>> = {
  free: { tone: 'good', word: 'Free' },
  website: { tone: 'waiting', word: 'Looks like your website' },
  yours: { tone: 'neutral', word: 'Added already' },
  taken: { tone: 'bad', word: 'In use elsewhere' },
  invalid: { tone: 'bad', word: 'Not a hostname' },
};

/** The outcome for each hostname that was sent. */
type Added = ReadonlyMap<string, { readonly id: string } | { readonly problem: string }>;

export function SeveralForm() {
  const [typed, setTyped] = useState('');
  const [checked, setChecked] = useState<readonly CheckedHostname[]>();
  const [added, setAdded] = useState<Added>(new Map());
  const renew = useRenewDomain('new');
  const hosts = hostsOf(typed);
  const free = checked?.filter(({ given, state }) => state === 'free' && !isAdded(added.get(given))) ?? [];
  const check = useWork(async () => {
    setAdded(new Map());
    setChecked(await checkHostnames(hosts));
  });
  const add = useWork(async () => {
    const results = new Map(added);
    // Add one after the other, in the order of the list. If the plan is full, the person knows at which hostname.
    for (const { given } of free) {
      results.set(given, await register(given));
      setAdded(new Map(results));
    }
    announce(`${counted([...results.values()].filter(isAdded).length, 'domain')} added.`);
    await renew();
  });
  const isTooMany = hosts.length > MAX_HOSTNAMES;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isTooMany && hosts.length > 0) check.run();
      }}
    >
      <Field
        label="Hosts, one per line"
        hint={`Up to ${MAX_HOSTNAMES}.`}
        error={
          isTooMany
            ? `These are ${hosts.length}. Check up to ${MAX_HOSTNAMES} at once.`
            : fieldError(check.failure ?? add.failure)
        }
      >
        {(tied) => (
          <textarea
            {...tied}
            rows={8}
            required
            {...VERBATIM}
            placeholder={'sitemaps.example.com\nsitemaps.example.net'}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setChecked(undefined);
            }}
          />
        )}
      </Field>
      {checked && <Checked rows={checked} added={added} />}
      <div class="buttons">
        {free.length > 0 ? (
          <button type="button" class="primary" aria-disabled={add.isBusy} onClick={add.run}>
            {add.isBusy ? 'Adding …' : `Add ${counted(free.length, 'domain')}`}
          </button>
        ) : (
          <button type="submit" class="primary" aria-disabled={check.isBusy}>
            {check.isBusy ? 'Checking …' : 'Check'}
          </button>
        )}
        <a class="button" href="/dashboard">
          {added.size > 0 ? 'Go to Overview' : 'Cancel'}
        </a>
        <a class="small" href="/dashboard/domains/new">
          Add only one
        </a>
      </div>
    </form>
  );
}

const isAdded = (one: { readonly id: string } | { readonly problem: string } | undefined) =>
  one !== undefined && 'id' in one;

async function register(hostname: string) {
  try {
    return { id: (await ask<RegisteredDomain>('POST', 'domains', { hostname })).id };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function Checked({ rows, added }: { readonly rows: readonly CheckedHostname[]; readonly added: Added }) {
  return (
    <Table asCards label="Hosts" head={['Host', 'State', 'What to do']}>
      {rows.map(({ given, unicode, state, suggestion, message }) => {
        const result = added.get(given);
        const { tone, word } = WORDS[state];
        return (
          <tr key={given}>
            <th scope="row">{unicode ?? given}</th>
            <td>
              {result === undefined ? (
                <State tone={tone}>{word}</State>
              ) : 'id' in result ? (
                <State tone="good">Added</State>
              ) : (
                <State tone="bad">Not added</State>
              )}
            </td>
            <td>
              {result === undefined ? (
                state === 'website' ? (
                  `Don't change its DNS. Use ${suggestion ?? 'another name'}.`
                ) : (
                  capital(message ?? '')
                )
              ) : 'id' in result ? (
                <a href={domainPage(result.id)}>See its DNS record</a>
              ) : (
                result.problem
              )}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
