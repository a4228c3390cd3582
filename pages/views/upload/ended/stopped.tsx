/** An upload that was cancelled, or that failed for a cause outside of its file. */
import type { ComponentChildren } from 'preact';
import { ApiError } from '../../../api/request.ts';
import { signInAddress, useSession } from '../../../api/session.ts';
import { Card } from '../../../parts/card.tsx';
import { messageOf } from '../../../parts/states.tsx';

/** `children`: the buttons for the next step. */
export function Stopped({ children }: { readonly children: ComponentChildren }) {
  const { data } = useSession();
  return (
    <Card title={data?.user.name ? `Cancelled by ${data.user.name}` : 'Cancelled by you'}>
      <p>Nothing was published. Crawlers get what they got before.</p>
      <div class="buttons">{children}</div>
    </Card>
  );
}

export interface FailedProps {
  readonly error: unknown;
  readonly children: ComponentChildren;
}

export function Failed({ error, children }: FailedProps) {
  const isSignedOut = error instanceof ApiError && error.status === 401;
  return (
    <Card title="The upload has failed">
      <p class="notice notice-bad">{messageOf(error)}</p>
      {isSignedOut && (
        <p>
          {/* The link opens another tab, so that the file stays chosen here. */}
          <a href={signInAddress(location, true)} target="_blank" rel="noopener">
            Sign in again
          </a>{' '}
          in another tab, then upload it again here.
        </p>
      )}
      <div class="buttons">{children}</div>
    </Card>
  );
}
