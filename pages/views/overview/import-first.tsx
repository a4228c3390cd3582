/** Offers to import the present sitemap of a website into an account without a domain, below a hostname for sitemaps alone. */
import { useLocation } from 'preact-iso';
import { TodayField } from '../../parts/today-field.tsx';
import { checkHostnames } from '../new-domain/check-hostnames.ts';
import { hostOf } from '../new-domain/host-of.ts';

export function ImportFirst() {
  const { route } = useLocation();
  const begin = async (typed: string) => {
    const host = hostOf(typed);
    // If the check gives no answer, the next page checks again.
    const [checked] = await checkHostnames([host]).catch(() => []);
    const hostname = checked?.suggestion ?? `sitemaps.${host.replace(/^www\./i, '')}`;
    route(`/dashboard/domains/new?${new URLSearchParams({ hostname, import: typed.trim() })}`);
  };
  return <TodayField isNext submit={begin} />;
}
