/** The outcome of an upload, and the next step. */
import { Page } from '../../parts/page.tsx';
import { type Asked, type Outcome, startUpload } from './current-upload.ts';
import { Held } from './ended/held.tsx';
import { Published } from './ended/published.tsx';
import { Refused } from './ended/refused.tsx';
import { Failed, Stopped } from './ended/stopped.tsx';

export { RefusedBefore } from './ended/refused-before.tsx';

export interface EndedProps {
  readonly asked: Asked;
  readonly outcome: Outcome;
  /** Goes back to the form. `keepsFile`: whether the form keeps the file and the choices for it. */
  readonly again: (keepsFile: boolean) => void;
}

export function Ended({ asked, outcome, again }: EndedProps) {
  if (outcome.kind === 'refused') return <Refused asked={asked} error={outcome.error} again={again} />;
  const back = (
    <button type="button" onClick={() => again(true)}>
      Back to the form
    </button>
  );
  const another = (
    <button type="button" onClick={() => again(false)}>
      Upload another file
    </button>
  );
  if (outcome.kind === 'published' || outcome.kind === 'unchanged') {
    return (
      <Published asked={asked} upload={outcome.upload}>
        {another}
      </Published>
    );
  }
  if (outcome.kind === 'checked') {
    return (
      <Published asked={asked} upload={outcome.upload}>
        <button type="button" class="primary" onClick={() => void startUpload(forReal(asked))}>
          Publish it now
        </button>
        {back}
      </Published>
    );
  }
  if (outcome.kind === 'held')
    return <Held asked={asked} error={outcome.error} discard={() => again(true)} />;
  return (
    <Page title="Upload">
      {outcome.kind === 'cancelled' && <Stopped>{back}</Stopped>}
      {outcome.kind === 'failed' && (
        <Failed error={outcome.error}>
          <button type="button" class="primary" onClick={() => void startUpload(asked)}>
            Upload it again
          </button>
          {back}
        </Failed>
      )}
    </Page>
  );
}

/** Returns the same upload without the dry run. */
function forReal(asked: Asked): Asked {
  const query = new URLSearchParams(asked.request.query);
  query.delete('dryRun');
  return { ...asked, settings: { ...asked.settings, isDryRun: false }, request: { ...asked.request, query } };
}
