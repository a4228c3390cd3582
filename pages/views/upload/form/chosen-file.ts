/** The file that a person has chosen, and what its beginning shows. */
import { useEffect, useState } from 'preact/hooks';
import { type Encoding, formOfName, type UploadForm } from '../file-form.ts';
import { type Preview, previewOf } from '../preview/preview.ts';
import { type ReadHead, readHead } from '../preview/read-head.ts';

export interface ChosenFile {
  readonly file: File | undefined;
  /** Takes what somebody has chosen or dropped, or says why not. */
  readonly choose: (files: readonly File[], hasFolder: boolean) => void;
  /** Why nothing was taken. */
  readonly problem: string | undefined;
  /** Undefined while it is read, or if this browser cannot decompress it. */
  readonly preview: Preview | undefined;
  readonly isReading: boolean;
  /** Undefined if neither name nor content tells it. */
  readonly form: UploadForm | undefined;
  readonly chooseForm: (form: UploadForm) => void;
  readonly encoding: Encoding | undefined;
  readonly encodingProblem: string | undefined;
  /** What a JSON document says beside its entries, as far as the preview reaches. */
  readonly members: Readonly<Record<string, unknown>>;
}

export function useChosenFile(former: File | undefined): ChosenFile {
  const [file, setFile] = useState(former);
  const [problem, setProblem] = useState<string>();
  const [pickedForm, setPickedForm] = useState<UploadForm>();
  const read = useHead(file, setProblem);
  const named = file && formOfName(file.name);
  const preview = read?.head && previewOf(read.head, named?.form, pickedForm);
  return {
    file,
    choose: (files, hasFolder) => {
      const refusal = refusalOf(files, hasFolder);
      setProblem(refusal);
      if (refusal !== undefined) return;
      setPickedForm(undefined);
      setFile(files[0]);
    },
    problem,
    preview,
    isReading: file !== undefined && read === undefined && problem === undefined,
    form: pickedForm ?? preview?.form ?? named?.form,
    chooseForm: setPickedForm,
    encoding: read?.encoding,
    encodingProblem: read?.problem,
    members: preview?.members ?? {},
  };
}

function useHead(file: File | undefined, fail: (problem: string) => void): ReadHead | undefined {
  const [read, setRead] = useState<{ of: File; head: ReadHead }>();
  useEffect(() => {
    if (file === undefined) return undefined;
    let isWanted = true;
    readHead(file, formOfName(file.name).encoding).then(
      (head) => isWanted && setRead({ of: file, head }),
      () => isWanted && fail('The file cannot be read. Choose it again.'),
    );
    return () => {
      isWanted = false;
    };
  }, [file]);
  return read?.of === file ? read?.head : undefined;
}

function refusalOf(files: readonly File[], hasFolder: boolean): string | undefined {
  if (hasFolder) return 'This is a folder. Choose one file.';
  if (files.length > 1) return `These are ${files.length} files. An upload is one file: choose one of them.`;
  if (files.length === 0) return 'This is not a file. Choose a file.';
  return undefined;
}
