/**
 * An upload that the guard of its domain stopped. The service keeps it for a day, until a person decides. After a dry run, the page only
 * says that an upload would be held.
 */
import { useQueryClient } from '@tanstack/preact-query';
import type { Upload } from '../../../../client/src/answers.ts';
import { renewAll } from '../../../api/live.ts';
import { ApiError, ask } from '../../../api/request.ts';
import { Action } from '../../../parts/action.tsx';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { count, counted, share } from '../../../parts/format.ts';
import { Page } from '../../../parts/page.tsx';
import { type Asked, end, succeeded } from '../current-upload.ts';
import { HeldChanges } from '../held-changes.tsx';

/** The `details` of the refusal. */
interface Removal {
  readonly removed: number;
  readonly former: number;
  /** The live generation that the guard saw. */
  readonly generation: number;
  /** Absent after a dry run. */
  readonly uploadId?: string;
}

export interface HeldProps {
  readonly asked: Asked;
  readonly error: ApiError;
  readonly discard: () => void;
}

export function Held({ asked, error, discard }: HeldProps) {
  const { removed, former, generation, uploadId } = error.details as unknown as Removal;
  const client = useQueryClient();
  const publish = async () => {
    // A newer list may be live by now. What this page says is not about that list.
    const terms = { force: true, ifGeneration: generation };
    const upload = await ask<Upload>('POST', `uploads/${uploadId}/publish`, terms).catch(explainNewer);
    void renewAll(client);
    end(asked, succeeded(upload));
  };
  const discardHeld = async () => {
    await ask('POST', `uploads/${uploadId}/discard`);
    void renewAll(client);
    discard();
  };
  return (
    <Page
      title={uploadId === undefined ? 'It would be held' : 'Held until you decide'}
      beside={<Chip tone="waiting">Nothing published</Chip>}
    >
      <p class="lead">
        {asked.file.name} for “{asked.sitemapName}”{asked.hostname && ` on ${asked.hostname}`}
      </p>
      <Card title={`${count(removed)} URLs fewer`}>
        <p>
          This file has {counted(former - removed, 'URL')}, and the sitemap has {count(former)}. It would lose{' '}
          <strong>
            {counted(removed, 'URL')}, {share(removed, former)} of all
          </strong>
          . The guard of the domain stops uploads that remove so much, because a list is often cut by mistake.
        </p>
        {uploadId !== undefined && <HeldChanges uploadId={uploadId} generation={generation} />}
        <p class="quiet">
          {uploadId === undefined
            ? 'This was a check. An upload would be held for you to decide.'
            : 'Waypost keeps the upload for 24 hours. Crawlers get what they got before until you decide.'}
        </p>
        <div class="buttons">
          {uploadId !== undefined && (
            <Action work={publish} kind="danger" busy="Publishing …">
              Publish anyway
            </Action>
          )}
          {uploadId === undefined ? (
            <button type="button" onClick={discard}>
              Back to the form
            </button>
          ) : (
            <Action work={discardHeld} busy="Discarding …">
              Discard
            </Action>
          )}
        </div>
      </Card>
    </Page>
  );
}

function explainNewer(error: ApiError): never {
  if (error.details.field !== 'ifGeneration') throw error;
  const message =
    'Another list of this sitemap was published meanwhile, so nothing was done. To compare with that one, review this upload on the page of its domain.';
  throw new ApiError(error.status, error.code, message, error.details);
}
