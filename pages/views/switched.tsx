/** The page that replaces all others if they were loaded for another account than the current one of the session. */
import { Page } from '../parts/page.tsx';

export function Switched({ accountName }: { readonly accountName: string }) {
  return (
    <Page title="You have switched to another account">
      <div class="card">
        <p>
          In another tab of this browser you have switched to <strong>{accountName}</strong>. This tab showed
          another account, so it does nothing more. Only an upload that it has begun goes on while the tab
          stays open.
        </p>
        <p class="buttons">
          <a class="button primary" href="/dashboard" onClick={loadAgain}>
            Go on with {accountName}
          </a>
        </p>
      </div>
    </Page>
  );
}

/** Loads a new document, because it has nothing of the former account. */
function loadAgain(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
  location.assign('/dashboard');
}
