/** The page that replaces all others but the personal settings, in an account that the operator has suspended. */
import { Page } from '../parts/page.tsx';

export function Suspended({ accountName }: { readonly accountName: string }) {
  return (
    <Page title="This account is suspended">
      <div class="card">
        <p>
          The operator of this service has suspended <strong>{accountName}</strong>. Its keys and its pages do
          not work until it is resumed. Its sitemaps stay served.
        </p>
        <p>Write to the operator to learn why.</p>
        <p class="buttons">
          <a class="button" href="/dashboard/settings/you">
            Your sessions and other accounts
          </a>
        </p>
      </div>
    </Page>
  );
}
