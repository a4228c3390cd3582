/** A webhook: its events, the state of its deliveries, and its actions. */

import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../client/src/answers.ts';
import { timeNow } from '../../../api/clock.ts';
import { ask } from '../../../api/request.ts';
import { Action } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { Time } from '../../../parts/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { EVENTS, FORMATS } from './webhook.ts';
import { type Open, WebhookDialog } from './webhook-dialog.tsx';

export function WebhookCard({ webhook }: { readonly webhook: Webhook }) {
  const [open, setOpen] = useState<Open>();
  return (
    <Card
      title={webhook.url}
      aside={webhook.enabled ? <Chip tone="good">Enabled</Chip> : <Chip tone="bad">Disabled</Chip>}
    >
      {!webhook.enabled && <Disabled webhook={webhook} />}
      <Facts webhook={webhook} />
      <div class="buttons">
        {webhook.enabled && <SendTest webhook={webhook} />}
        <button type="button" onClick={() => setOpen('change')}>
          Change
        </button>
        <button type="button" onClick={() => setOpen('rotate')}>
          New secret
        </button>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          Delete
        </button>
      </div>
      <Deliveries webhook={webhook} />
      {open && <WebhookDialog open={open} webhook={webhook} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

function Disabled({ webhook: { id, disabledAt, disabledReason } }: { readonly webhook: Webhook }) {
  const client = useQueryClient();
  const enable = async () => {
    await ask('PATCH', `webhooks/${id}`, { enabled: true });
    announce('The webhook is enabled again.');
    await client.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <div class="notice notice-bad">
      <p>
        It hasn't received anything since <Time at={disabledAt} />. {disabledReason}
      </p>
      <Action work={enable}>Enable again</Action>
    </div>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { format, description, events, formerSecretUntil, createdAt } = webhook;
  const isRotating = formerSecretUntil !== null && Date.parse(formerSecretUntil) > timeNow();
  return (
    <dl class="facts">
      {description && (
        <>
          <dt>Description</dt>
          <dd>{description}</dd>
        </>
      )}
      {format !== 'json' && (
        <>
          <dt>Format</dt>
          <dd>{FORMATS[format]}</dd>
        </>
      )}
      <dt>Events</dt>
      <dd>{events === null ? 'All' : events.map((type) => EVENTS[type]).join(' · ')}</dd>
      <dt>Added</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      {isRotating && (
        <>
          <dt>Former secret</dt>
          <dd>
            signs too, and ends <Time at={formerSecretUntil} />
          </dd>
        </>
      )}
    </dl>
  );
}

function SendTest({ webhook: { id } }: { readonly webhook: Webhook }) {
  const client = useQueryClient();
  const send = async () => {
    await ask('POST', `webhooks/${id}/test`);
    announce('A test is on its way. It stands in the deliveries.');
    await client.invalidateQueries({ queryKey: ['deliveries', id] });
  };
  return <Action work={send}>Send a test</Action>;
}
