/** The lines for robots.txt of the page hosts that lack them. Without its line, crawlers ignore the URLs of a host. */
import { usePageHosts } from '../../../api/domain.ts';
import { Card } from '../../../parts/card.tsx';
import { CodeBlock } from '../../../parts/code-block.tsx';

/** The most hosts that are shown. The page of the domain has all. */
const SHOWN = 3;

export function RobotsLines({ domainId }: { readonly domainId: string }) {
  const { data = [] } = usePageHosts(domainId, {
    waits: (hosts) => hosts === undefined || hosts.some(({ state }) => state === 'unchecked'),
  });
  const lacking = data.filter(
    ({ state, line }) => line !== null && (state === 'missing' || state === 'partly'),
  );
  if (lacking.length === 0) return null;
  return (
    <Card title="robots.txt needs this line">
      {lacking.slice(0, SHOWN).map(({ origin, robotsUrl, line }) => (
        <div class="lines" key={origin}>
          <a href={robotsUrl} target="_blank" rel="noreferrer">
            {robotsUrl.replace(/^https?:\/\//, '')}
          </a>
          <CodeBlock text={line!} label={`the line for ${robotsUrl}`} />
        </div>
      ))}
    </Card>
  );
}
