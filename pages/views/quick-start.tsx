/** Shows the first upload from a program: commands to paste, with the real hostname and the address of the API. */
import '../style/quick-start.css';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { DomainRow } from '../../src/edges/dashboard/wire.ts';
import { freshKey } from '../api/fresh-key.ts';
import { domainsQuery } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { Card } from '../parts/card.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { isServed } from '../parts/domain-state.ts';
import { Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/states.tsx';
import { exportKey, LANGUAGES, type Place, READ_KEY, TRIAL_NAME } from './quick-start/commands.ts';
import { CreateKey } from './settings/keys/create-key.tsx';

/** The hostname in the commands if the account has no domain. */
const EXAMPLE_HOSTNAME = 'sitemaps.example.com';

export function QuickStart() {
  const session = useSession();
  const domains = useQuery(domainsQuery());
  return (
    <Page title="Quick start">
      <p class="quiet">
        For programs that send URLs by themselves. To send a file by hand,{' '}
        <a href="/dashboard/upload">upload it</a>.
      </p>
      <WhenLoaded query={domains}>
        {({ rows }) => {
          const domain = rows.find(isServed) ?? rows[0];
          return (
            <>
              <KeyCard hostname={domain?.hostname} />
              <UploadCard
                place={{
                  apiOrigin: session.data!.apiOrigin,
                  hostname: domain?.hostname ?? EXAMPLE_HOSTNAME,
                }}
                domain={domain}
              />
            </>
          );
        }}
      </WhenLoaded>
    </Page>
  );
}

function KeyCard({ hostname }: { readonly hostname: string | undefined }) {
  const [isCreating, setCreating] = useState(false);
  const key = freshKey();
  return (
    <Card title="1. Your key">
      {key === undefined ? (
        <>
          <p>
            Take a key that you have stored, or create one that may only upload to <code>{TRIAL_NAME}</code>
            {hostname !== undefined && <> at {hostname}</>}.
          </p>
          <div class="buttons">
            <button type="button" onClick={() => setCreating(true)}>
              Create a key
            </button>
          </div>
          <p>Start this in bash or zsh, paste the key, and press Enter. It does not appear on the screen.</p>
        </>
      ) : (
        <p>This is the key that you have just made. It leaves this page when you reload it.</p>
      )}
      <CodeBlock text={key === undefined ? READ_KEY : exportKey(key)} label="the command for your key" />
      {isCreating && (
        <CreateKey onClose={() => setCreating(false)} uploadTo={{ hostname, sitemapName: TRIAL_NAME }} />
      )}
    </Card>
  );
}

interface UploadCardProps {
  readonly place: Place;
  readonly domain: DomainRow | undefined;
}

function UploadCard({ place, domain }: UploadCardProps) {
  const [id, setId] = useState(LANGUAGES[0]!.id);
  const language = LANGUAGES.find((each) => each.id === id)!;
  return (
    <Card title="2. Your first upload">
      {domain === undefined ? (
        <div class="notice">
          <p>
            {EXAMPLE_HOSTNAME} is only an example. <a href="/dashboard/domains/new">Add your domain</a> first.
          </p>
        </div>
      ) : (
        <p>
          These commands make a sitemap named <code>{TRIAL_NAME}</code> at <strong>{domain.hostname}</strong>,
          and leave your others alone. The answer says where it stands.
        </p>
      )}
      <fieldset class="languages">
        <legend class="unseen">Language</legend>
        {LANGUAGES.map((each) => (
          <label key={each.id}>
            <input
              type="radio"
              name="language"
              value={each.id}
              checked={each.id === id}
              onChange={() => setId(each.id)}
            />
            {each.name}
          </label>
        ))}
      </fieldset>
      <p class="quiet">{language.needs}</p>
      {language.commands(place).map(({ title, text }) => (
        <section key={`${id} ${title}`} class="command" aria-label={title}>
          <h3>{title}</h3>
          <CodeBlock text={text} label={`the text of “${title}”`} />
        </section>
      ))}
    </Card>
  );
}
