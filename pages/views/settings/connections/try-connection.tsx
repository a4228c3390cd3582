/** Tests a connection: the service asks the store for the first key of each bucket. The dialog shows the results. */
import { useQuery } from '@tanstack/preact-query';
import type { TriedConnection } from '../../../../client/src/answers.ts';
import { ask } from '../../../api/request.ts';
import { State } from '../../../parts/chip.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';

export interface TryConnectionProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function TryConnection({ name, onClose }: TryConnectionProps) {
  const trial = useQuery({
    queryKey: ['connection-trial', name],
    queryFn: () => ask<TriedConnection>('POST', `connections/${encodeURIComponent(name)}/test`),
    retry: false,
    // Each trial asks the store anew.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog title={`Test of “${name}”`} onClose={onClose}>
      <WhenLoaded query={trial}>
        {({ buckets }) => (
          <dl class="facts">
            {buckets.map(({ bucket, problem }) => (
              <Answer key={bucket} {...{ bucket, problem }} />
            ))}
          </dl>
        )}
      </WhenLoaded>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** Shows the result for a bucket. If the test failed, the service says why. */
function Answer({ bucket, problem }: TriedConnection['buckets'][number]) {
  return (
    <>
      <dt>{bucket}</dt>
      <dd>
        <State tone={problem === null ? 'good' : 'bad'}>
          {problem === null ? 'It can be read' : 'Not listed'}
        </State>
        {problem !== null && <span class="below">The store {problem}</span>}
      </dd>
    </>
  );
}
