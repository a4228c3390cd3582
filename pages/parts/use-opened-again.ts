/** Calls `act` when a person follows a link to the page that is shown. The router keeps the component, and renders nothing if the address is the same. */
import { useEffect } from 'preact/hooks';

export function useOpenedAgain(act: () => void): void {
  useEffect(() => {
    const see = ({ target, defaultPrevented }: MouseEvent) => {
      const link = (target as Element).closest('a');
      // The router has prevented the default of each link that it follows.
      if (link && defaultPrevented && link.pathname === location.pathname) act();
    };
    addEventListener('click', see);
    return () => removeEventListener('click', see);
  });
}
