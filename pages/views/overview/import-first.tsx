/** The first offer of an empty account: the sitemap that stands elsewhere today, below a name of its own. */
import { useLocation } from 'preact-iso';
import { TodayField } from '../../parts/today-field.tsx';
import { checkHostnames } from '../new-domain/check-hostnames.ts';
import { hostOf } from '../new-domain/host-of.ts';

export function ImportFirst() {
  const { route } = useLocation();
  const begin = async (typed: string) => {
    const host = hostOf(typed);
    // If there is no answer, the next page asks again.
    const [checked] = await checkHostnames([host]).catch(() => []);
    const hostname = checked?.suggestion ?? `sitemaps.${host.replace(/^www\./i, '')}`;
    route(`/dashboard/domains/new?${new URLSearchParams({ hostname, import: typed.trim() })}`);
  };
  return <TodayField isNext submit={begin} />;
}
