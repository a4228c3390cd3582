/** A page whose code is loaded when it is first opened. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { Page } from './parts/page.tsx';

/** Whether this tab has been loaded again, and its code still cannot be. */
const RELOADED = 'waypost-reloaded';

/** Code that cannot be loaded may be gone with its version. The document of today names the code of today. */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => {
    try {
      const page = await load();
      sessionStorage.removeItem(RELOADED);
      return { default: page };
    } catch {
      if (sessionStorage.getItem(RELOADED) !== null) return { default: NotLoaded };
      sessionStorage.setItem(RELOADED, 'yes');
      location.reload();
      return new Promise(() => {});
    }
  });
}

function NotLoaded() {
  return (
    <Page title="This page could not be loaded">
      <div class="notice notice-bad" role="alert">
        <p>Waypost cannot be reached, or it has just been updated. Check your connection.</p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    </Page>
  );
}
