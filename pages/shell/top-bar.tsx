/** The bar on top of each page. */
import { useLocation } from 'preact-iso';
import type { SessionState } from '../../src/edges/dashboard/wire.ts';
import { Mark } from '../parts/mark.tsx';
import { AccountName } from './account-name.tsx';
import { FindBox } from './find-box.tsx';
import { HelpMenu } from './help-menu.tsx';
import { PersonMenu } from './person-menu.tsx';

const PLACES = [
  { path: '/dashboard', name: 'Overview', below: '/dashboard/domains' },
  { path: '/dashboard/upload', name: 'Upload' },
  { path: '/dashboard/quick-start', name: 'Quick start' },
  { path: '/dashboard/settings/keys', name: 'Settings', below: '/dashboard/settings' },
];

export function TopBar({ session }: { readonly session: SessionState | undefined }) {
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href="/dashboard" aria-label="Waypost">
          <Mark /> <span>Waypost</span>
        </a>
        {session && (
          <>
            <AccountName account={session.account} accounts={session.accounts} />
            <Places />
            <div class="top-end">
              <FindBox />
              <HelpMenu help={session.help} />
              <PersonMenu user={session.user} />
            </div>
          </>
        )}
      </div>
    </header>
  );
}

function Places() {
  const { path } = useLocation();
  return (
    <nav class="places" aria-label="Pages">
      <ul>
        {PLACES.map((place) => (
          <li key={place.path}>
            <a
              class="tab"
              href={place.path}
              aria-current={
                path === place.path || (place.below && path.startsWith(place.below)) ? 'page' : undefined
              }
            >
              {place.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
