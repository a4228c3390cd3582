/** Uploads a file by hand: choose the file, see how it is read, send it, see the outcome. */
import '../style/upload.css';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Page } from '../parts/page.tsx';
import { useOpenedAgain } from '../parts/use-opened-again.ts';
import { type Asked, clearUpload, useCurrentUpload } from './upload/current-upload.ts';
import { forgetRefused } from './upload/ended/refused-address.ts';
import { OutcomePage, RefusedBeforePage } from './upload/outcome.tsx';
import { Sending } from './upload/sending.tsx';
import { forAnotherFile } from './upload/settings.ts';
import { NOTHING_YET, UploadForm, type UploadFormProps } from './upload/upload-form.tsx';

export function Upload() {
  const current = useCurrentUpload();
  const [former, setFormer] = useState<UploadFormProps['former']>(NOTHING_YET);
  const { query, route } = useLocation();
  const before = current.state === 'none' ? query.refused : undefined;
  const begin = (now: UploadFormProps['former']) => {
    setFormer(now);
    clearUpload();
  };
  const again = ({ settings, choices, file }: Asked, keepsFile: boolean) => {
    forgetRefused(route);
    begin(keepsFile ? { settings, choices, file } : { settings: forAnotherFile(settings), choices: {} });
  };
  useOpenedAgain(() => begin(NOTHING_YET));
  useFocusOnChange(current.state + before);
  // Forget the outcome when the person leaves the page: they have seen it, and come back for another upload.
  useEffect(() => clearUpload, []);
  if (current.state === 'ended') {
    return (
      <OutcomePage
        asked={current.asked}
        outcome={current.outcome}
        again={(keepsFile) => again(current.asked, keepsFile)}
      />
    );
  }
  if (current.state === 'sending') return <Sending upload={current} />;
  if (before !== undefined) return <RefusedBeforePage id={before} again={() => forgetRefused(route)} />;
  return (
    <Page title="Upload">
      <UploadForm former={former} />
    </Page>
  );
}

/** Moves the focus to the heading. The pressed button is gone, so the keyboard would begin at the top of the window. */
function useFocusOnChange(state: string): void {
  const former = useRef(state);
  useLayoutEffect(() => {
    if (former.current !== state) document.querySelector('h1')?.focus();
    former.current = state;
  }, [state]);
}
