/** What came of an upload, and what to do next. */
import { type Asked, type Outcome, startUpload } from './current-upload.ts';
import { Held } from './ended/held.tsx';
import { Published } from './ended/published.tsx';
import { Refused } from './ended/refused.tsx';
import { Failed, Stopped } from './ended/stopped.tsx';
import { queryOf } from './settings.ts';

export interface EndedProps {
  readonly asked: Asked;
  readonly outcome: Outcome;
  /** Back to the form. */
  readonly again: (keepsFile: boolean) => void;
}

export function Ended({ asked, outcome, again }: EndedProps) {
  const another = (
    <button type="button" onClick={() => again(false)}>
      Upload another file
    </button>
  );
  const back = (
    <button type="button" onClick={() => again(true)}>
      Back to the form
    </button>
  );
  switch (outcome.kind) {
    case 'published':
      return (
        <Published asked={asked} upload={outcome.upload}>
          {another}
        </Published>
      );
    case 'checked':
      return (
        <Published asked={asked} upload={outcome.upload}>
          <button type="button" class="primary" onClick={() => void startUpload(forReal(asked))}>
            Upload it now
          </button>
          {another}
        </Published>
      );
    case 'held':
      return <Held asked={asked} error={outcome.error} discard={() => again(true)} />;
    case 'refused':
      return (
        <Refused asked={asked} error={outcome.error}>
          <button type="button" class="primary" onClick={() => again(false)}>
            Choose the corrected file
          </button>
          {back}
        </Refused>
      );
    case 'cancelled':
      return <Stopped>{back}</Stopped>;
    case 'failed':
      return (
        <Failed error={outcome.error}>
          <button type="button" class="primary" onClick={() => void startUpload(asked)}>
            Upload it again
          </button>
          {back}
        </Failed>
      );
  }
}

/** The same without the dry run. */
function forReal(asked: Asked): Asked {
  const settings = { ...asked.settings, isDryRun: false };
  return { ...asked, settings, request: { ...asked.request, query: queryOf(settings) } };
}
