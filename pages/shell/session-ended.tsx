/**
 * A dialog that asks the person to sign in again, while the page keeps its content. The dialog closes when the person has signed in in
 * another tab.
 */
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';

export function SessionEnded() {
  return (
    <Dialog title="Your session has ended">
      <p>Nothing is lost. Sign in again in a new tab, then go on here.</p>
      <div class="buttons">
        <a class="button primary" href="/dashboard/sign-in" target="_blank" rel="noopener">
          Sign in again <Icon name="outside" />
        </a>
      </div>
    </Dialog>
  );
}
