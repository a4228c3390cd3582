/** The uploads tab of a domain: running uploads, open upload sessions, and the history. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { RunningUploads } from '../overview/running-uploads.tsx';
import { OpenSessions } from './open-sessions.tsx';
import { UploadHistory } from './upload-history.tsx';

export function DomainUploads({ domain: { id } }: { readonly domain: DomainDetails }) {
  return (
    <>
      <RunningUploads domainId={id} />
      <OpenSessions domainId={id} />
      <UploadHistory domainId={id} />
    </>
  );
}
