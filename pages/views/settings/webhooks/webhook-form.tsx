/** The form for the settings of a new or changed webhook. If the service refuses the settings, the form keeps them. */

import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../client/src/answers.ts';
import { CHOSEN_EVENTS, type EventType } from '../../../../src/features/webhooks/events.ts';
import { useWork } from '../../../parts/action.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { Field } from '../../../parts/field.tsx';
import { Options } from '../../../parts/options.tsx';
import { faultyField } from '../faulty-field.ts';
import { EVENTS, FORMATS, formatFor } from './webhook.ts';

export type WebhookSettings = Pick<Webhook, 'url' | 'format' | 'description' | 'events'>;

export interface WebhookFormProps {
  readonly start: WebhookSettings;
  readonly verb: string;
  readonly submit: (settings: WebhookSettings) => Promise<unknown>;
  readonly onClose: () => void;
}

const MAX_URL_LENGTH = 2048;
const MAX_DESCRIPTION_LENGTH = 256;

export function WebhookForm({ start, verb, submit, onClose }: WebhookFormProps) {
  const [settings, setSettings] = useState(start);
  const { isBusy, error, failure, run } = useWork(() => submit(settings));
  const change = (part: Partial<WebhookSettings>) => setSettings({ ...settings, ...part });
  const isAboutUrl = faultyField(failure) === 'url';
  return (
    <DialogForm
      verb={verb}
      submit={run}
      isBusy={isBusy}
      isDisabled={settings.events?.length === 0}
      onClose={onClose}
    >
      <Field label="Address" hint="It begins with https://" error={isAboutUrl ? error : undefined}>
        {(tied) => (
          <input
            {...tied}
            type="url"
            required
            maxLength={MAX_URL_LENGTH}
            value={settings.url}
            onInput={({ currentTarget: { value: url } }) =>
              change({ url, format: formatFor(url) ?? settings.format })
            }
          />
        )}
      </Field>
      <Field label="Format" hint="A chat gets a message for people in place of the event.">
        {(tied) => (
          <select
            {...tied}
            value={settings.format}
            onChange={({ currentTarget: { value } }) => change({ format: value as Webhook['format'] })}
          >
            <Options of={FORMATS} />
          </select>
        )}
      </Field>
      <Field label="Description" hint="For you and your colleagues.">
        {(tied) => (
          <input
            {...tied}
            maxLength={MAX_DESCRIPTION_LENGTH}
            autocomplete="off"
            value={settings.description}
            onInput={(event) => change({ description: event.currentTarget.value })}
          />
        )}
      </Field>
      <EventChoice events={settings.events} choose={(events) => change({ events })} />
      <Fault>{isAboutUrl ? undefined : error}</Fault>
    </DialogForm>
  );
}

interface EventChoiceProps {
  readonly events: readonly EventType[] | null;
  readonly choose: (events: readonly EventType[] | null) => void;
}

const ALL = Object.keys(EVENTS) as EventType[];
/** The events that an endpoint gets if it has chosen none. */
const USUAL = ALL.filter((type) => !CHOSEN_EVENTS.some((chosen) => chosen === type));

function EventChoice({ events, choose }: EventChoiceProps) {
  const toggle = (type: EventType) =>
    choose(ALL.filter((known) => (known === type) !== events?.includes(known)));
  return (
    <fieldset class="choices">
      <legend>Events</legend>
      <label>
        <input type="radio" name="which" checked={events === null} onChange={() => choose(null)} />
        The usual ones, also those that are added later
      </label>
      <label>
        <input type="radio" name="which" checked={events !== null} onChange={() => choose(USUAL)} />
        Only these:
      </label>
      {events !== null &&
        ALL.map((type) => (
          <label key={type} class="choice-below">
            <input type="checkbox" checked={events.includes(type)} onChange={() => toggle(type)} />
            <span>
              {EVENTS[type]} <code class="quiet">{type}</code>
            </span>
          </label>
        ))}
    </fieldset>
  );
}
