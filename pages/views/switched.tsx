/** In place of every page that was loaded for another account than the session has now. */
import { Page } from '../parts/page.tsx';

export function Switched({ accountName }: { readonly accountName: string }) {
  return (
    <Page title="You have switched to another account">
      <section class="card" aria-label="What you can do">
        <p>
          In another tab of this browser you have switched to <strong>{accountName}</strong>. This tab showed
          another account, so it stops here. What you sent from it since was not done.
        </p>
        <p class="buttons">
          <a class="button primary" href="/dashboard" onClick={loadAgain}>
            Go on with {accountName}
          </a>
        </p>
      </section>
    </Page>
  );
}

/** A new page has nothing of the former account. */
function loadAgain(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
  location.assign('/dashboard');
}
