/** A token after the `#` of the address. No log has this part. */
import { useEffect, useState } from 'preact/hooks';

/** Takes the token out of the address at once, so that the history of the browser does not keep it. `''` if there is none. */
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
