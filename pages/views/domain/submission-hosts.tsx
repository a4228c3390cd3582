/** The hosts of the pages. Each needs a key file. The file tells search engines that the owner of the host agrees. */
import { useQueryClient } from '@tanstack/preact-query';
import type { IndexNowHost } from '../../../client/src/answers.ts';
import { domainKey, domainPath } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { count, counted } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

export interface SubmissionHostsProps {
  readonly domainId: string;
  readonly hosts: readonly IndexNowHost[];
}

export function SubmissionHosts({ domainId, hosts }: SubmissionHostsProps) {
  if (hosts.length === 0) {
    return (
      <p class="quiet">
        The hosts of your pages come here with the next upload that changes something. Each then needs a key
        file.
      </p>
    );
  }
  return (
    <ul class="rows">
      {hosts.map((host) => (
        <Host key={host.host} domainId={domainId} host={host} />
      ))}
    </ul>
  );
}

function Host({ domainId, host }: { readonly domainId: string; readonly host: IndexNowHost }) {
  const { verified, queued, sentToday, lastSubmittedAt, pausedUntil } = host;
  return (
    <li>
      <div class="card-head">
        <h3>{host.host}</h3>
        <Chip tone={verified ? 'good' : 'waiting'}>{verified ? 'Key file found' : 'Key file missing'}</Chip>
      </div>
      <p class="quiet line">
        <span>{counted(queued, 'URL')} waiting</span>
        <span>{count(sentToday)} submitted today</span>
        <span>
          Last: <Time at={lastSubmittedAt} absent="never" />
        </span>
        {verified && pausedUntil && (
          <span>
            Goes on <Time at={pausedUntil} />
          </span>
        )}
      </p>
      {verified && host.problem && <p>{host.problem}</p>}
      {!verified && <KeyFile domainId={domainId} host={host} />}
    </li>
  );
}

function KeyFile({ domainId, host }: { readonly domainId: string; readonly host: IndexNowHost }) {
  const client = useQueryClient();
  const check = async () => {
    const checked = await ask<IndexNowHost>('POST', domainPath(domainId, 'indexnow', 'verify'), {
      host: host.host,
    });
    announce(checked.verified ? 'The key file is there.' : (checked.problem ?? 'The key file is not there.'));
    await client.invalidateQueries({ queryKey: domainKey(domainId, 'indexnow') });
  };
  return (
    <>
      {host.problem && <p>{host.problem}</p>}
      <dl class="facts record">
        <dt>Text in the file</dt>
        <dd>
          <Copyable text={host.key} label={`the key of ${host.host}`} />
        </dd>
        <dt>Address of the file</dt>
        <dd>
          <Copyable text={host.keyFile} label={`the address of the key file of ${host.host}`} />
        </dd>
      </dl>
      <div class="buttons">
        <Action work={check} busy="Checking …">
          Check the key file
        </Action>
      </div>
    </>
  );
}
