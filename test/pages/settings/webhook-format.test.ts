import { expect, test } from 'vitest';
import { formatFor } from '../../../pages/views/settings/webhooks/webhook.ts';

test.each([
  ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
  ['https://acme.webhook.office.com/webhookb2/x', 'teams'],
  ['https://prod-01.westeurope.logic.azure.com:443/workflows/x', 'teams'],
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://chat.googleapis.com/v1/spaces/x/messages?key=y', 'google-chat'],
  ['https://hooks.slack.com.example.com/', undefined],
  ['https://hooks.example.com/', undefined],
  ['hooks', undefined],
])('%s takes %s', (url, format) => {
  expect(formatFor(url)).toBe(format);
});
