/** Reads a token after the `#` of the address. Browsers do not send this part to a server, so no log has it. */
import { useEffect, useState } from 'preact/hooks';

/** Returns the token; `''` if there is none. Takes it out of the address at once, so that the history of the browser does not keep it. */
export function useTakenToken(): string {
  const [token] = useState(take);
  useEffect(() => {
    // The next link in this tab may differ only after the `#`. Browsers do not load the page again for it, so we do.
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
