/** HTTPS of a domain: its certificate, and the next step towards one. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { Card } from '../../parts/card.tsx';
import { Chip } from '../../parts/chip.tsx';
import { calendarDay, counted, dayAndTime } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { httpsState } from './https-state.ts';

type Certificate = NonNullable<DomainDetails['certificate']>;

export function HttpsCard({ domain }: { readonly domain: DomainDetails }) {
  const { certificate } = domain;
  const { tone, word, sentence } = httpsState(domain, Date.now());
  return (
    <Card title="HTTPS" aside={<Chip tone={tone}>{word}</Chip>}>
      <p>{sentence}</p>
      {certificate?.lastError && (
        <p class={tone === 'bad' ? 'notice notice-bad' : 'notice'}>{certificate.lastError}</p>
      )}
      {certificate && <Facts certificate={certificate} />}
    </Card>
  );
}

function Facts({ certificate }: { readonly certificate: Certificate }) {
  const { issuer, notBefore, notAfter, renewAt, lastError, nextAttemptAt } = certificate;
  const isPlanned = nextAttemptAt !== null && (issuer === null || lastError !== null);
  return (
    <dl class="facts">
      {issuer && (
        <>
          <dt>Issuer</dt>
          <dd>{issuer}</dd>
        </>
      )}
      {notBefore && <Day name="Valid from" at={notBefore} />}
      {notAfter && <Day name="Valid until" at={notAfter} note={daysLeft(notAfter)} />}
      {renewAt && !isPlanned && <Day name="Renewal" at={renewAt} />}
      {isPlanned && (
        <>
          <dt>Next attempt</dt>
          <dd>{new Date(nextAttemptAt).getTime() > Date.now() ? <Time at={nextAttemptAt} /> : 'now'}</dd>
        </>
      )}
    </dl>
  );
}

function Day({ name, at, note }: { readonly name: string; readonly at: string; readonly note?: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <time dateTime={at} title={dayAndTime(at)}>
          {calendarDay(at)}
        </time>
        {note && <span class="quiet"> ({note})</span>}
      </dd>
    </>
  );
}

function daysLeft(until: string): string {
  const days = Math.floor((new Date(until).getTime() - Date.now()) / 86_400_000);
  return days < 0 ? 'expired' : `${counted(days, 'day')} left`;
}
