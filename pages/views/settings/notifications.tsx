/** The choice of the emails that the person gets about the account. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Notifications as Choice, Topic } from '../../../src/edges/dashboard/wire.ts';
import { ask, get } from '../../api/request.ts';
import { Action, useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Field } from '../../parts/field.tsx';
import { onSend } from '../../parts/on-send.ts';
import { Page } from '../../parts/page.tsx';
import { WhenLoaded } from '../../parts/states.tsx';

const TOPICS: Readonly<Record<Topic, string>> = {
  heldUpload: 'An upload is held',
  uploadsRefused: 'Uploads are refused, or loads fail, three times in a row',
  sitemapStale: 'An upload is late',
  robots: "robots.txt blocks crawlers or can't be read",
  dns: "A domain leads elsewhere, or isn't served any more",
  certificate: "A certificate can't be renewed",
  digest: 'The week in short, each week',
};
const ALL = Object.keys(TOPICS) as Topic[];
const QUERY = { queryKey: ['notifications'], queryFn: () => get<Choice>('notifications') };

export function Notifications() {
  const query = useQuery(QUERY);
  return (
    <Page title="Notifications">
      <p class="quiet">
        One email when something needs you, and one when it's over. Each person chooses for themselves.
      </p>
      <WhenLoaded query={query}>
        {(choice) =>
          choice.isAvailable ? (
            <Mails key={choice.address} choice={choice} />
          ) : (
            <p class="notice">
              <span>
                This service doesn't send emails yet: its operator hasn't set up a mail server (
                <code>SMTP_URL</code>).
              </span>
            </p>
          )
        }
      </WhenLoaded>
      <p class="quiet">
        To tell your team in Slack, Teams, Discord or Google Chat, add a{' '}
        <a href="/dashboard/settings/webhooks">webhook</a> of that format.
      </p>
    </Page>
  );
}

function Mails({ choice }: { readonly choice: Choice }) {
  const client = useQueryClient();
  const { address, suggestedAddress, isProven, problem } = choice;
  const [settings, setSettings] = useState({
    address: address ?? suggestedAddress ?? '',
    topics: address === null ? ALL.filter((topic) => topic !== 'digest') : choice.topics,
  });
  const save = async (again: boolean) => {
    client.setQueryData(QUERY.queryKey, await ask<Choice>('PUT', 'notifications', { ...settings, again }));
    announce(again ? 'The email is sent again.' : 'Saved.');
  };
  const { isBusy, error, run } = useWork(() => save(false));
  const end = async () => {
    client.setQueryData(QUERY.queryKey, await ask<Choice>('DELETE', 'notifications'));
    announce('You get no more emails.');
  };
  const toggle = (topic: Topic) =>
    setSettings({
      ...settings,
      topics: ALL.filter((one) => (one === topic) !== settings.topics.includes(one)),
    });
  return (
    <Card title="Email">
      {problem !== null && (
        <p class="notice notice-bad">
          <span>{problem} Save the address to try again.</span>
        </p>
      )}
      {address !== null && !isProven && problem === null && (
        <div class="notice">
          <p>
            We sent an email to {address}. Open its link to confirm the address. Until then you get nothing
            else.
          </p>
          <Action work={() => save(true)}>Send it again</Action>
        </div>
      )}
      <form onSubmit={onSend(run)}>
        <Field label="Email" error={error}>
          {(tied) => (
            <input
              {...tied}
              type="email"
              required
              maxLength={254}
              autocomplete="email"
              value={settings.address}
              onInput={(event) => setSettings({ ...settings, address: event.currentTarget.value })}
            />
          )}
        </Field>
        <fieldset class="choices">
          <legend>Tell me about</legend>
          {ALL.map((topic) => (
            <label key={topic}>
              <input
                type="checkbox"
                checked={settings.topics.includes(topic)}
                onChange={() => toggle(topic)}
              />
              {TOPICS[topic]}
            </label>
          ))}
        </fieldset>
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            aria-disabled={isBusy}
            disabled={settings.topics.length === 0}
          >
            {address === null ? 'Turn on' : 'Save'}
          </button>
          {address !== null && <Action work={end}>Turn off</Action>}
        </div>
      </form>
    </Card>
  );
}
