/** A page that stands for one whose code cannot be loaded, or cannot show what Waypost answers. */
import { Page } from './page.tsx';

export function NotShown({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <div class="notice notice-bad" role="alert">
        <p>Waypost may just have been updated.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </Page>
  );
}
