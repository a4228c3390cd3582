/** The card for DNS records that are not right yet: the record to make, the records that were found, and the time of the next check. */
import { useState } from 'preact/hooks';
import type { DomainDetails, Verification } from '../../../client/src/answers.ts';
import { domainPath, useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { isServed } from '../../parts/domain-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { useNow } from '../../parts/use-now.ts';
import { removalDay } from './checklist.ts';
import { dnsRows, stateWord } from './dns-rows.ts';
import { dnsTitle, nextChecks } from './dns-words.ts';
import { AlternativeTable, RecordTable } from './record-table.tsx';
import { WebsiteNotice } from './website-notice.tsx';

export function DnsCard({ domain }: { readonly domain: DomainDetails }) {
  const { dns, hostname } = domain;
  const { title, lead } = dnsTitle(domain);
  if (dns.state === 'website') return <WebsiteNotice domain={domain} />;
  if (dns.records.length === 0) {
    return (
      <Card title="Check this domain" foot={<Foot domain={domain} />}>
        <p>A name below localhost needs no DNS record. It is for trying things out.</p>
      </Card>
    );
  }
  return (
    <div class="dns">
      <Card
        title={title}
        lead={lead}
        aside={
          dns.provider && (
            <a class="button" href={dns.provider.url} target="_blank" rel="noreferrer">
              Open {dns.provider.name} DNS <Icon name="outside" />
            </a>
          )
        }
        foot={<Foot domain={domain} />}
      >
        {dns.state === 'in_use' && <p class="notice notice-bad">{dns.message}</p>}
        <RecordTable rows={dnsRows(domain)} />
        {dns.alternativeRecords.length > 0 && (
          <details open={dns.state === 'text_missing'}>
            <summary>My provider can't do CNAME here</summary>
            <div class="stack below-summary">
              <p class="quiet">
                Then <code>{hostname}</code> needs these records, and no other A or AAAA record.
              </p>
              <AlternativeTable records={dns.alternativeRecords} />
            </div>
          </details>
        )}
      </Card>
    </div>
  );
}

/** A served domain has no button for a check: the service checks the domain anyway, and the check of a person would change nothing. */
function Foot({ domain }: { readonly domain: DomainDetails }) {
  const { dns } = domain;
  const day = removalDay(domain);
  const now = useNow();
  return (
    <>
      <span>
        {dns.checkedAt !== null && (
          <>
            Checked <Time at={dns.checkedAt} />.{' '}
          </>
        )}
        {nextChecks(domain, now)}
        {day && (
          <>
            <br />
            Without the right DNS, this domain will be removed on {day}.
          </>
        )}
      </span>
      {!isServed(domain) && <CheckNow domain={domain} />}
    </>
  );
}

function CheckNow({ domain }: { readonly domain: DomainDetails }) {
  const renew = useRenewDomain(domain.id);
  const [isChecked, setChecked] = useState(false);
  const check = async () => {
    setChecked(false);
    const { status } = await ask<Verification>('POST', domainPath(domain.id, 'verify'));
    await renew();
    setChecked(true);
    announce(status === 'verified' ? 'The DNS is right.' : 'Checked just now.');
  };
  const { word } = stateWord(domain.dns.state);
  return (
    <span class="buttons">
      {isChecked && <span>Checked just now. {word}</span>}
      <Action kind="primary" work={check} busy="Checking …">
        Check now
      </Action>
    </span>
  );
}
