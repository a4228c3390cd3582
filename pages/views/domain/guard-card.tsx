/** The guard: it holds back an upload that would remove too much of a sitemap. */
import { useState } from 'preact/hooks';
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Field, fieldError } from '../../parts/field.tsx';
import { Switch } from '../../parts/switch.tsx';
import { useChangeDomain } from './change-domain.ts';
import { guardSentence, parsePercent } from './guard-sentence.ts';

const DEFAULT_PERCENT = 50;

export function GuardCard({ domain }: { readonly domain: DomainDetails }) {
  const change = useChangeDomain(domain.id);
  const { maxRemovedPercent } = domain.guard;
  const isOn = maxRemovedPercent !== null;
  return (
    <Card title="Guard">
      <p>
        An export that broke off can empty a sitemap. The guard holds such an upload back for 24 hours, so
        that you can look at it first.
      </p>
      <Switch
        label="Hold back uploads that remove many URLs"
        isOn={isOn}
        work={() => change({ guard: { maxRemovedPercent: isOn ? null : DEFAULT_PERCENT } })}
      />
      <p class="quiet">{guardSentence(maxRemovedPercent)}</p>
      {isOn && <Percent percent={maxRemovedPercent} change={change} />}
    </Card>
  );
}

interface PercentProps {
  readonly percent: number;
  readonly change: ReturnType<typeof useChangeDomain>;
}

function Percent({ percent, change }: PercentProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? String(percent);
  const [mistake, setMistake] = useState<string>();
  const given = parsePercent(text);
  const { isBusy, failure, run } = useWork(async () => {
    await change({ guard: { maxRemovedPercent: given! } });
    setTyped(undefined);
    announce('The guard is saved.');
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setMistake(given === undefined ? 'Enter a whole number from 0 to 100.' : undefined);
        if (given !== undefined) run();
      }}
    >
      <Field
        label="Percent of its URLs that a sitemap may lose at once"
        error={mistake ?? fieldError(failure)}
      >
        {(tied) => (
          <span class="buttons">
            <input
              {...tied}
              class="short"
              type="text"
              inputMode="numeric"
              autocomplete="off"
              value={text}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <button type="submit" disabled={text.trim() === String(percent)} aria-disabled={isBusy}>
              {isBusy ? 'Saving …' : 'Save'}
            </button>
          </span>
        )}
      </Field>
    </form>
  );
}
