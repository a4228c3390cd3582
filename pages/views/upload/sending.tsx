/** An upload under way, as the service sees it. The number of bytes that the browser has sent says little about the progress. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import type { RunningUpload } from '../../../src/edges/dashboard/wire.ts';
import { useMoving } from '../../api/live.ts';
import { liveQuery } from '../../api/queries.ts';
import { bytes } from '../../parts/format.ts';
import { isDelta } from '../../parts/is-delta.ts';
import { Page } from '../../parts/page.tsx';
import { cardOf, UploadCard, type UploadCardProps } from '../overview/running-uploads.tsx';
import type { Asked, CurrentUpload } from './current-upload.ts';
import { usePreparedOutcome } from './outcome.tsx';

export function Sending({ upload }: { readonly upload: CurrentUpload & { readonly state: 'sending' } }) {
  const { asked, isFinding, isReachable, isCancelling, cancel } = upload;
  usePreparedOutcome();
  const running = useSeen(asked);
  const hasArrived = running?.bytesReceived === asked.file.size;
  const card = running ? cardOf(running) : beginning(asked.file);
  return (
    // The title of the tab shows the progress.
    <Page title="Upload" shortTitle={card.progress === undefined ? 'Uploading' : `${card.aside} · Upload`}>
      <UploadCard {...card} {...(isFinding && { title: 'Finding all mistakes' })}>
        {!isReachable && (
          <div class="notice" role="status">
            <p>Not connected. The outcome comes here when the connection is back.</p>
          </div>
        )}
        <div class="spread">
          <p class="quiet">
            {isFinding
              ? 'Nothing is published. Waypost reads the file to its end.'
              : hasArrived
                ? 'All of it has arrived. Waypost stores the last files and publishes them.'
                : 'You can look at other pages meanwhile. Keep this tab open.'}
          </p>
          <button type="button" aria-disabled={isCancelling} onClick={cancel}>
            {isCancelling ? 'Cancelling …' : isFinding ? 'Stop' : 'Cancel the upload'}
          </button>
        </div>
      </UploadCard>
    </Page>
  );
}

function beginning(file: File): UploadCardProps {
  return {
    label: `Upload of ${file.name}`,
    title: `Sending ${file.name}`,
    aside: bytes(file.size),
    progress: undefined,
    facts: 'Reading the file …',
  };
}

/** Returns the last state of this upload that the service has reported. Undefined while the service does not report it. */
function useSeen(asked: Asked): RunningUpload | undefined {
  useMoving(true);
  const client = useQueryClient();
  useEffect(() => {
    void client.invalidateQueries({ queryKey: liveQuery.queryKey });
  }, [client]);
  const { data } = useQuery(liveQuery);
  return data?.running.find((running) => isOf(asked, running));
}

/**
 * Returns whether a running upload is ours. The service gives uploads ids that we do not know. But ours is new, and has the length, the
 * domain and the sitemap of our file.
 */
function isOf({ file, settings, request, hostname, others }: Asked, running: RunningUpload): boolean {
  if (isDelta(running.id) || others.has(running.id) || (running.bytesTotal ?? file.size) !== file.size)
    return false;
  // A JSON document may name its domain and its sitemap itself.
  const isDocument = request.contentType === 'application/json';
  const name = settings.sitemapName || (isDocument ? undefined : 'default');
  return [
    [hostname, running.hostname],
    [name, running.sitemapName ?? name],
  ].every(([ours, seen]) => ours === undefined || ours === seen);
}
