/** The page for unknown addresses. */
import { Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        Perhaps it has moved. <a href="/dashboard">Go to the overview</a>
      </p>
    </Page>
  );
}
