/** Uploads a file by hand: choose it, see what is in it, send it, see what came of it. */
import '../style/upload.css';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Page } from '../parts/page.tsx';
import { type Asked, clearUpload, useCurrentUpload } from './upload/current-upload.ts';
import { Ended } from './upload/ended.tsx';
import { Sending } from './upload/sending.tsx';
import { UploadForm } from './upload/upload-form.tsx';

export function Upload() {
  const current = useCurrentUpload();
  const [former, setFormer] = useState<Pick<Asked, 'settings' | 'file'>>();
  const again = (asked: Asked, keepsFile: boolean) => {
    setFormer({ settings: asked.settings, ...(keepsFile && { file: asked.file }) } as typeof former);
    clearUpload();
  };
  useFocusOnChange(current.state);
  // Whoever comes back has seen the outcome, and wants to upload again.
  useEffect(() => clearUpload, []);
  return (
    <Page title="Upload">
      {current.state === 'none' && <UploadForm former={former} />}
      {current.state === 'sending' && <Sending upload={current} />}
      {current.state === 'ended' && (
        <Ended
          asked={current.asked}
          outcome={current.outcome}
          again={(keepsFile) => again(current.asked, keepsFile)}
        />
      )}
    </Page>
  );
}

/** The button that was pressed is gone then, and the keyboard would begin at the top of the window. */
function useFocusOnChange(state: string): void {
  const former = useRef(state);
  useLayoutEffect(() => {
    if (former.current !== state) document.querySelector('h1')?.focus();
    former.current = state;
  }, [state]);
}
