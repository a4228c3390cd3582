/** The DNS of a domain: what is wanted, what was found, and what to do about the difference. */
import { useState } from 'preact/hooks';
import type { DomainDetails, Verification } from '../../../client/src/answers.ts';
import { domainPath, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Time } from '../../parts/time.tsx';
import { dnsState, isDnsFine } from './dns-state.ts';
import { isServed } from './domain-sentence.ts';
import { Alternative, FoundRecords, WantedRecord } from './records.tsx';

export function DnsCard({ domain }: { readonly domain: DomainDetails }) {
  const { tone, word, sentence } = dnsState(domain);
  const { dns } = domain;
  return (
    <Card title="DNS" aside={<Chip tone={tone}>{word}</Chip>}>
      <p>{sentence}</p>
      {dns.problem && <p class={tone === 'bad' ? 'notice notice-bad' : 'notice'}>{dns.problem}</p>}
      {isDnsFine(domain) ? (
        <details>
          <summary>Show the records</summary>
          <div class="stack">
            <WantedRecord record={dns.wanted} label="the record" />
            <FoundRecords dns={dns} />
          </div>
        </details>
      ) : (
        <>
          <WantedRecord record={dns.wanted} label="the record" />
          <p class="hint">
            Some DNS providers add your domain to the name by themselves. There, enter only the part before
            it.
          </p>
          <Alternative dns={dns} hostname={domain.hostname} />
          <FoundRecords dns={dns} />
        </>
      )}
      <Checks domain={domain} />
    </Card>
  );
}

function Checks({ domain }: { readonly domain: DomainDetails }) {
  const { pendingUntil } = domain;
  const { checkedAt, nextCheckAt } = domain.dns;
  if (checkedAt === null && isServed(domain)) return null;
  return (
    <>
      <p class="quiet line">
        <span>
          Checked: <Time at={checkedAt} absent="not yet" />
        </span>
        {(nextCheckAt !== null || !isServed(domain)) && (
          <span>
            Next check: <Time at={nextCheckAt} absent="when you ask for it" />
          </span>
        )}
        {pendingUntil !== null && (
          <span>
            Deleted, unless it is verified: <Time at={pendingUntil} />
          </span>
        )}
      </p>
      {!isServed(domain) && <CheckNow domain={domain} />}
    </>
  );
}

/** A served domain is checked by itself: asking for it would change nothing. */
function CheckNow({ domain }: { readonly domain: DomainDetails }) {
  const renew = useRenewDomain(domain.id);
  const [answer, setAnswer] = useState<Verification>();
  const check = async () => {
    setAnswer(undefined);
    const verification = await ask<Verification>('POST', domainPath(domain.id, 'verify'));
    await renew();
    setAnswer(verification);
    announce(verification.message);
  };
  // The problem stands above already.
  const isNews = answer !== undefined && answer.message !== domain.dns.problem;
  return (
    <div class="buttons">
      <Action kind="primary" work={check} busy="Checking …">
        Check now
      </Action>
      {answer && <span>{isNews ? answer.message : 'Checked just now: it is as above.'}</span>}
    </div>
  );
}
