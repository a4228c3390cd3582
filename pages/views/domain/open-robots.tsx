/**
 * The next step for the robots.txt of one page host: the host with the worst state, and of several such hosts the one with the most URLs.
 */
import type { DomainDetails, PageHost } from '../../../client/src/answers.ts';
import { domainPage } from '../../api/domain.ts';
import { Action } from '../../parts/action.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { counted, fromNow } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { useNow } from '../../parts/use-now.ts';
import { isHostWrong, worstHost } from './robots-step.ts';
import { useCheckHosts } from './use-check-hosts.ts';

export function OpenRobots({
  domain,
  hosts,
}: {
  readonly domain: DomainDetails;
  readonly hosts: readonly PageHost[];
}) {
  const { check, isWaiting } = useCheckHosts(domain.id, hosts);
  const now = useNow();
  const host = worstHost(hosts);
  if (host === undefined) return null;
  const { state, urlCount, line, message, robotsUrl, nextCheckAt } = host;
  const urls = `${urlCount === 1 ? 'its' : 'all'} ${counted(urlCount, 'URL')}`;
  const isOnlyOne = hosts.filter(isHostWrong).length === 1;
  return (
    <>
      {state === 'unreachable' && message !== null && <p>{message}</p>}
      <p>
        {state === 'unreachable' && `Until crawlers can read it, they ignore ${urls}.`}
        {state === 'disallowed' && `It tells crawlers to stay out, so they can't visit ${urls}.`}
        {state === 'missing' && `Until it has this line, crawlers ignore ${urls}:`}
        {state === 'partly' && 'One line is enough for all sitemaps of this domain:'}
        {state === 'unreachable' && line !== null && ' It also needs this line:'}
      </p>
      {line !== null && state !== 'disallowed' && <CodeLine text={line} label="the line" />}
      <div class="buttons">
        <Action kind="primary" work={check} busy="Asking …">
          Check again
        </Action>
        <a class="button" href={robotsUrl} target="_blank" rel="noreferrer">
          Open robots.txt <Icon name="outside" />
        </a>
        {isWaiting && <span role="status">Checking …</span>}
      </div>
      <p>
        We check automatically, next {fromNow(nextCheckAt, now)}.{' '}
        {!isOnlyOne && <a href={domainPage(domain.id, 'settings')}>See all hosts</a>}
      </p>
    </>
  );
}

/** A line with an address, and a button that copies the line. A long line breaks before the path of the address. */
export function CodeLine({ text, label }: { readonly text: string; readonly label: string }) {
  const [, before = '', origin = text, path = ''] = /^(\S+ )?(\w+:\/\/[^/]+)(.*)$/.exec(text) ?? [];
  return (
    <div class="code">
      <code>
        {before}
        <span class="whole">{origin}</span>
        <wbr />
        {path}
      </code>
      <Copyable text={text} label={label} isHidden />
    </div>
  );
}
