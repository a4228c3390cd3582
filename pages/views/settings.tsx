/** The settings of the account and of the person. Each has a page, with links to the others above it. */
import { Tabs } from '../parts/tabs.tsx';
import { NotFound } from './not-found.tsx';
import { Audit } from './settings/audit.tsx';
import { Connections } from './settings/connections.tsx';
import { Keys } from './settings/keys.tsx';
import { MembersPage } from './settings/members.tsx';
import { Notifications } from './settings/notifications.tsx';
import { Plan } from './settings/plan.tsx';
import { Webhooks } from './settings/webhooks.tsx';
import { You } from './settings/you.tsx';

const TABS = [
  { tab: 'keys', name: 'API keys', Content: Keys },
  { tab: 'plan', name: 'Plan and usage', Content: Plan },
  { tab: 'members', name: 'Members', Content: MembersPage },
  { tab: 'connections', name: 'Connections', Content: Connections },
  { tab: 'webhooks', name: 'Webhooks', Content: Webhooks },
  { tab: 'notifications', name: 'Notifications', Content: Notifications },
  { tab: 'audit', name: 'Audit log', Content: Audit },
  { tab: 'you', name: 'You', Content: You },
];

export function Settings({ tab }: { readonly tab?: string }) {
  const open = TABS.find((known) => known.tab === tab);
  if (open === undefined) return <NotFound />;
  return (
    <>
      <Tabs
        label="Settings"
        tabs={TABS.map(({ tab, name }) => ({
          href: `/dashboard/settings/${tab}`,
          name,
          isOpen: tab === open.tab,
        }))}
      />
      <open.Content />
    </>
  );
}
