/** The progress of a load, and the button to cancel it. */
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { counted } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

export interface LoadProgressProps {
  readonly domainId: string;
  readonly uploadId: string;
  readonly load: NonNullable<UploadAttempt['load']>;
}

export function LoadProgress({ domainId, uploadId, load }: LoadProgressProps) {
  const renew = useRenewDomain(domainId);
  const { objects, nextTryAt } = load;
  const done = objects.done + objects.skipped;
  return (
    <>
      <p>
        {objects.total === null
          ? 'Looking for what to load …'
          : `${done} of ${counted(objects.total, 'file')} loaded.`}
        {nextTryAt !== null && (
          <>
            {' '}
            A host is in trouble. Next try <Time at={nextTryAt} />.
          </>
        )}
      </p>
      <div class="buttons">
        <Action
          kind="small"
          work={async () => {
            await ask('DELETE', `uploads/${encodeURIComponent(uploadId)}`);
            announce('The load is canceled.');
            await renew();
          }}
        >
          Cancel load
        </Action>
      </div>
    </>
  );
}
