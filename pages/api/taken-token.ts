/** A token behind the `#` of the address, where no log has it. */
import { useEffect, useState } from 'preact/hooks';

/** Takes the token from the address at once, because the history of the browser must not have it. `''` if there is none. */
export function useTakenToken(): string {
  const [token] = useState(take);
  useEffect(() => {
    // Browsers do not load the page again if a person opens another link in this tab.
    const startAgain = () => location.reload();
    addEventListener('hashchange', startAgain);
    return () => removeEventListener('hashchange', startAgain);
  }, []);
  return token;
}

function take(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', location.pathname + location.search);
  return token;
}
