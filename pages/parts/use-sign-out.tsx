/** Asks before a sign-out while this tab uploads a file, because the upload ends with the session. */
import { useState } from 'preact/hooks';
import { isWorking } from '../api/tab-work.ts';
import { Confirm } from './confirm.tsx';

/** `work`: ends the session and leaves the page. Returns the work of a button, and the question to render outside of menus. */
export function useSignOut(work: () => Promise<unknown>) {
  const [isAsking, setAsking] = useState(false);
  return {
    begin: async () => (isWorking() ? setAsking(true) : work()),
    question: isAsking && (
      <Confirm
        title="Cancel the upload and sign out?"
        verb="Sign out"
        kind="danger"
        work={work}
        onClose={() => setAsking(false)}
      >
        <p>This tab is uploading a file. The upload ends if you sign out.</p>
      </Confirm>
    ),
  };
}
