/** The way to another domain. What its hostname then needs stands on its page. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Domain } from '../../../../client/src/answers.ts';
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
    const domain = await ask<Domain>('POST', 'domains', { hostname: hostname.trim() });
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
