/** A page whose code is loaded when it is first opened. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { pause } from './api/pause.ts';
import { NotShown } from './parts/not-shown.tsx';

/** The key in the session storage that is set while the tab loads the document again because of missing code. */
const RELOADED = 'reloaded';
/** The first pause. The fifth one and all later ones take 8 s. */
const PAUSE_MS = 500;

/**
 * Loads the code of a page when it is first shown. While Waypost is out of reach, tries again: a reload would leave the browser with
 * nothing to show. If Waypost can be reached but the code is gone, the version has changed: loads the document again, which names the
 * current code. If that does not help, shows a page that says so.
 */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => {
    for (let failures = 0; ; failures++) {
      try {
        const page = await load();
        sessionStorage.removeItem(RELOADED);
        return { default: page };
      } catch {
        if (await isReachable()) break;
        await pause(PAUSE_MS * 2 ** Math.min(failures, 4));
      }
    }
    if (sessionStorage.getItem(RELOADED) !== null) return { default: NotLoaded };
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
    return new Promise(() => {});
  });
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/dashboard/sign-in', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

const NotLoaded = () => <NotShown title="This page couldn't be loaded" />;
