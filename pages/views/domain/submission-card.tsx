/** The submission of changed URLs to search engines, and the hosts that must agree to it. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { DomainDetails, IndexNow, IndexNowHost } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask, get } from '../../api/request.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Field, fieldError } from '../../parts/field.tsx';
import { onSend } from '../../parts/on-send.ts';
import { WhenLoaded } from '../../parts/states.tsx';
import { Switch } from '../../parts/switch.tsx';
import { VERBATIM } from '../../parts/verbatim.ts';
import { useChangeDomain } from './change-domain.ts';
import { SubmissionHosts } from './submission-hosts.tsx';

export function SubmissionCard({ domain }: { readonly domain: DomainDetails }) {
  const { id, indexNow } = domain;
  const change = useChangeDomain(id);
  const submission = useQuery({
    queryKey: domainKey(id, 'indexnow'),
    queryFn: () => get<IndexNow>(domainPath(id, 'indexnow')),
  });
  const isMissing = submission.data?.endpointConfigured === false;
  return (
    <Card title="Search engines">
      <p>
        Bing, Yandex, Naver, Seznam and others visit a page soon after they hear that it has changed
        (IndexNow). Waypost tells them which URLs an upload added, changed or removed. Google does not take
        part.
      </p>
      {isMissing && (
        <p class="notice">
          <span>
            This service doesn't submit URLs yet: its operator hasn't set up IndexNow (
            <code>INDEXNOW_ENDPOINT</code>).
          </span>
        </p>
      )}
      <Switch
        label="Submit changed URLs"
        isOn={indexNow.enabled}
        isDisabled={isMissing && !indexNow.enabled}
        work={() => change({ indexNow: { enabled: !indexNow.enabled } })}
      />
      {indexNow.enabled && (
        <WhenLoaded query={submission}>
          {({ hosts }) => (
            <>
              <SubmissionHosts domainId={id} hosts={hosts} />
              <AddHost domainId={id} />
            </>
          )}
        </WhenLoaded>
      )}
    </Card>
  );
}

function AddHost({ domainId }: { readonly domainId: string }) {
  const client = useQueryClient();
  const [host, setHost] = useState('');
  const { isBusy, failure, run } = useWork(async () => {
    const added = await ask<IndexNowHost>('POST', domainPath(domainId, 'indexnow', 'verify'), {
      host: host.trim(),
    });
    setHost('');
    announce(`${added.host} has its key.`);
    await client.invalidateQueries({ queryKey: domainKey(domainId, 'indexnow') });
  });
  return (
    <details>
      <summary>Add a host of your pages</summary>
      <form class="stack" onSubmit={onSend(run)}>
        <Field
          label="Host of your pages"
          hint="Such as www.example.com. Hosts also come here by themselves, with their first changed URL."
          error={fieldError(failure)}
        >
          {(tied) => (
            <input
              {...tied}
              type="text"
              required
              {...VERBATIM}
              value={host}
              onInput={(event) => setHost(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit" aria-disabled={isBusy}>
            {isBusy ? 'One moment …' : 'Add host'}
          </button>
        </div>
      </form>
    </details>
  );
}
