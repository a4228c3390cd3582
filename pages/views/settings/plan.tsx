/** The name of the account, the limits of the plan, how much of each is in use, and the usage by day. */
import { useQuery } from '@tanstack/preact-query';
import type { Meter, PlanUsage } from '../../../src/edges/dashboard/wire.ts';
import { get } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { Chip } from '../../parts/chip.tsx';
import { bytes, capital, count } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { AccountCard } from './plan/account-card.tsx';
import { NEAR, standOf } from './plan/stand.ts';
import { UsageCard } from './plan/usage-card.tsx';

/** `of`: the words before the hostname of the domain that uses the most. */
const NAMES: Readonly<Record<Meter['name'], { readonly name: string; readonly of: string }>> = {
  domains: { name: 'Domains', of: '' },
  urlsPerUpload: { name: 'URLs in one upload', of: 'the largest is on' },
  requestsPerMinute: { name: 'Requests of your programs, this minute', of: '' },
  storedBytes: { name: 'Stored files', of: '' },
  sitemapsPerDomain: { name: 'Sitemaps of one domain', of: 'the fullest is' },
  uploadsAtOnce: { name: 'Uploads at the same time', of: '' },
};

export function Plan() {
  const plan = useQuery({ queryKey: ['plan'], queryFn: () => get<PlanUsage>('plan') });
  return (
    <Page title="Plan and usage">
      <AccountCard />
      <WhenLoaded query={plan}>
        {({ name, meters }) => (
          <Card title={`Your plan: ${capital(name)}`}>
            <ul class="meters">
              {meters.map((meter) => (
                <PlanMeter key={meter.name} meter={meter} />
              ))}
            </ul>
            <p class="quiet">For more, ask the operator of this service for a larger plan.</p>
          </Card>
        )}
      </WhenLoaded>
      <UsageCard />
    </Page>
  );
}

function PlanMeter({ meter }: { readonly meter: Meter }) {
  const { name, of } = NAMES[meter.name];
  const shown = meter.name === 'storedBytes' ? bytes : count;
  const stand = standOf(meter);
  const used = `${shown(meter.used)} of ${shown(meter.limit)}`;
  return (
    <li class="meter">
      <div class="card-head">
        <h3>{name}</h3>
        <span class="spread">
          {stand && <Chip tone={stand.tone}>{stand.word}</Chip>}
          <span class="number">{used}</span>
        </span>
      </div>
      <meter
        class={stand?.tone}
        aria-label={`${name}: ${used}`}
        max={meter.limit}
        high={meter.limit * NEAR}
        optimum={0}
        value={meter.used}
      />
      {meter.of !== null && (
        <p class="below">
          {of} {meter.of}
        </p>
      )}
    </li>
  );
}
