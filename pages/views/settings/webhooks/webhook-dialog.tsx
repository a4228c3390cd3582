/** The dialogs that change a webhook, make a new secret for it, and delete it. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Webhook, WebhookWithSecret } from '../../../../client/src/answers.ts';
import { ask } from '../../../api/request.ts';
import { useWork } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { WebhookForm, type WebhookSettings } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

export type Open = 'change' | 'rotate' | 'delete';

export interface WebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

const DIALOGS = { change: Change, rotate: Rotate, delete: Delete };

export function WebhookDialog({ open, ...props }: WebhookDialogProps & { readonly open: Open }) {
  const Shown = DIALOGS[open];
  return <Shown {...props} />;
}

function Change({ webhook, onClose }: WebhookDialogProps) {
  const reload = useReload();
  const { id, url, format, description, events } = webhook;
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <WebhookForm
        start={{ url, format, description, events }}
        verb="Save"
        onClose={onClose}
        submit={async (settings) => {
          await ask('PATCH', `webhooks/${id}`, changesOf(webhook, settings));
          announce('Saved the webhook.');
          await reload();
          onClose();
        }}
      />
    </Dialog>
  );
}

/** Returns only the changed settings, so that the audit log names no others. */
function changesOf(webhook: Webhook, settings: WebhookSettings): Partial<WebhookSettings> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(webhook[name as keyof WebhookSettings]);
  return Object.fromEntries(Object.entries(settings).filter(isChanged));
}

function Rotate({ webhook: { id }, onClose }: WebhookDialogProps) {
  const reload = useReload();
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    setSecret((await ask<WebhookWithSecret>('POST', `webhooks/${id}/rotate`)).secret);
    void reload();
  };
  const { isBusy, error, run } = useWork(rotate);
  if (secret !== undefined) return <WebhookSecret secret={secret} onStored={onClose} />;
  return (
    <Dialog title="Make a new secret?" onClose={onClose}>
      <p>For a day the old one and the new one both sign, so that you can switch without a gap.</p>
      <p class="quiet">If the old one has leaked, delete the webhook and add it again instead.</p>
      <Fault>{error}</Fault>
      <div class="buttons" aria-busy={isBusy}>
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          Keep the old one
        </button>
        <button type="button" class="primary" aria-disabled={isBusy} onClick={run}>
          {isBusy ? 'One moment …' : 'Make a new secret'}
        </button>
      </div>
    </Dialog>
  );
}

function Delete({ webhook: { id, url }, onClose }: WebhookDialogProps) {
  const reload = useReload();
  const remove = async () => {
    await ask('DELETE', `webhooks/${id}`);
    announce('Deleted the webhook.');
    await reload();
  };
  return (
    <Confirm title="Delete this webhook?" verb="Delete webhook" kind="danger" work={remove} onClose={onClose}>
      <p>
        <code>{url}</code> gets nothing any more. What waits to be sent is lost.
      </p>
    </Confirm>
  );
}

function useReload(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['webhooks'] });
}
