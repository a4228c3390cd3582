/** Adds a webhook, and shows its secret once. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { WebhookWithSecret } from '../../../../client/src/answers.ts';
import { ask } from '../../../api/request.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

const EMPTY = { url: '', format: 'json', description: '', events: null } as const;

export function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <WebhookSecret secret={secret} onStored={onClose} />;
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <WebhookForm
        start={EMPTY}
        verb="Add webhook"
        onClose={onClose}
        submit={async (settings) => {
          try {
            setSecret((await ask<WebhookWithSecret>('POST', 'webhooks', settings)).secret);
          } finally {
            void client.invalidateQueries({ queryKey: ['webhooks'] });
          }
        }}
      />
    </Dialog>
  );
}
