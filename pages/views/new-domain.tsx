/** Adds one domain or several. The page of a domain then shows the next step. */
import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { overviewQuery } from '../api/queries.ts';
import { Card } from '../parts/card.tsx';
import { counted } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { HostnameForm } from './new-domain/hostname-form.tsx';
import { SeveralForm } from './new-domain/several-form.tsx';

export function NewDomain() {
  const { query } = useLocation();
  const isSeveral = query.several !== undefined;
  return (
    <Page
      title={isSeveral ? 'Add domains' : 'Add domain'}
      above={
        <a href="/dashboard">
          <Icon name="back" />
          Domains
        </a>
      }
    >
      <PlanFull />
      <Card
        title="A name for your sitemaps"
        lead={`Use a name of its own, such as sitemaps.example.com. Your pages stay where they are.${
          query.import === undefined ? '' : ` Then Waypost imports ${query.import}.`
        }`}
      >
        {isSeveral ? (
          <SeveralForm />
        ) : (
          <HostnameForm key={query.hostname} first={query.hostname ?? ''} source={query.import} />
        )}
      </Card>
    </Page>
  );
}

function PlanFull() {
  const { data } = useQuery(overviewQuery);
  if (data === undefined || data.domainCount < data.plan.domains) return null;
  return (
    <div class="notice">
      <p>
        <strong>Your plan is full.</strong>
        It has {counted(data.plan.domains, 'domain')}, and you use all of them. Delete one first, or change
        the plan.
      </p>
      <a class="button" href="/dashboard/settings/plan">
        See your plan
      </a>
    </div>
  );
}
