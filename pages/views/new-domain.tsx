/** The way to another domain. What its hostname then needs stands on its page. */
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { RegisteredDomain } from '../../client/src/answers.ts';
import { domainPage, useRenewDomain } from '../api/domain.ts';
import { ask } from '../api/request.ts';
import { useWork } from '../parts/action.tsx';
import { announce } from '../parts/announce.tsx';
import { Card } from '../parts/card.tsx';
import { Field, fieldError } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';

export function NewDomain() {
  return (
    <Page title="Add domain" above={<a href="/dashboard">Overview</a>}>
      <Card title="A name for your sitemaps">
        <p>
          Choose a name of its own below your domain, such as <code>sitemaps.example.com</code>. Your pages
          stay where they are. On the next page you get the DNS record that it needs.
        </p>
        <HostnameForm />
      </Card>
    </Page>
  );
}

function HostnameForm() {
  const [hostname, setHostname] = useState('');
  const { route } = useLocation();
  const renew = useRenewDomain('new');
  const { isBusy, failure, run } = useWork(async () => {
    const domain = await ask<RegisteredDomain>('POST', 'domains', { hostname: hostname.trim() });
    announce(`${domain.hostname} is added.`);
    route(domainPage(domain.id));
    await renew();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Field label="Hostname" error={fieldError(failure)}>
        {(tied) => (
          <input
            {...tied}
            type="text"
            inputMode="url"
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="sitemaps.example.com"
            value={hostname}
            onInput={(event) => setHostname(event.currentTarget.value)}
          />
        )}
      </Field>
      {looksLikeWebsite(hostname) && (
        <p class="notice" role="status">
          This looks like the name of a website. Its DNS record would lead here, and the website would be
          gone. Choose a name that nothing uses, such as <code>{suggestion(hostname)}</code>.
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Adding …' : 'Add domain'}
        </button>
        <a class="button" href="/dashboard">
          Cancel
        </a>
      </div>
    </form>
  );
}

const labelsOf = (hostname: string) => hostname.trim().toLowerCase().replace(/\.$/, '').split('.');

/** Only what the name alone tells. The answer to the form knows more. */
function looksLikeWebsite(hostname: string): boolean {
  const labels = labelsOf(hostname);
  const isWhole = labels.length >= 2 && labels.at(-1)!.length >= 2;
  return isWhole && labels.at(-1) !== 'localhost' && (labels.length === 2 || labels[0] === 'www');
}

function suggestion(hostname: string): string {
  const labels = labelsOf(hostname);
  return ['sitemaps', ...(labels[0] === 'www' ? labels.slice(1) : labels)].join('.');
}
