/** The file that a person has chosen: its form, its compression, and its first bytes. */
import { useEffect, useState } from 'preact/hooks';
import {
  type Encoding,
  formOfName,
  formOfText,
  insteadOf,
  isParquet,
  type UploadForm,
} from '../file-form.ts';
import { type ReadHead, readHead } from './read-head.ts';

export interface ChosenFile {
  readonly file: File | undefined;
  /** Takes the file that the person has chosen or dropped, or sets `problem`. */
  readonly choose: (files: readonly File[], hasFolder: boolean) => void;
  /** Why no file was taken, or why this file cannot be uploaded. */
  readonly problem: string | undefined;
  /**
   * The first bytes, decompressed. Undefined while they are read, if this browser cannot decompress them, if the file cannot be uploaded,
   * and for a Parquet file that is longer than these bytes.
   */
  readonly head: Uint8Array<ArrayBuffer> | undefined;
  readonly isReading: boolean;
  /** The form of the file. Undefined if neither its name nor its content tells the form. */
  readonly form: UploadForm | undefined;
  readonly chooseForm: (form: UploadForm) => void;
  readonly encoding: Encoding | undefined;
}

export function useChosenFile(former: File | undefined): ChosenFile {
  const [file, setFile] = useState(former);
  const [problem, setProblem] = useState<string>();
  const [picked, setPicked] = useState<UploadForm>();
  const read = useHead(file, setProblem);
  const head = read?.head;
  const named = file && formOfName(file.name).form;
  const instead = file && head && insteadOf(file.name, head.bytes);
  const isColumnar = head !== undefined && isParquet(head.bytes);
  const isUnseen = isColumnar && !head.isWhole;
  return {
    file,
    choose: (files, hasFolder) => {
      const refusal = refusalOf(files, hasFolder);
      setProblem(refusal);
      if (refusal !== undefined) return;
      setPicked(undefined);
      setFile(files[0]);
    },
    problem: problem ?? instead ?? read?.problem,
    head: instead === undefined && !isUnseen ? head?.bytes : undefined,
    isReading: file !== undefined && read === undefined && problem === undefined,
    form: picked ?? (isColumnar ? 'parquet' : head && formOfText(textOf(head.bytes), head.isWhole)) ?? named,
    chooseForm: setPicked,
    encoding: read?.encoding,
  };
}

/** Takes the files of an input, and empties it. Otherwise the browser says nothing when the same file is chosen again after a change. */
export function takeFiles(input: HTMLInputElement): readonly File[] {
  const files = [...(input.files ?? [])];
  input.value = '';
  return files;
}

/** Decodes the first bytes well enough to guess the form. Bytes that are not UTF-8 do not matter here. */
function textOf(bytes: Uint8Array): string {
  const mark = (bytes[0]! << 8) | bytes[1]!;
  const charset = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(charset).decode(bytes).replaceAll('\0', '');
}

function useHead(file: File | undefined, fail: (problem: string) => void): ReadHead | undefined {
  const [read, setRead] = useState<{ of: File; head: ReadHead }>();
  useEffect(() => {
    if (file === undefined) return undefined;
    let isWanted = true;
    readHead(file, formOfName(file.name).encoding).then(
      (head) => isWanted && setRead({ of: file, head }),
      () => isWanted && fail("The file can't be read. Choose it again."),
    );
    return () => {
      isWanted = false;
    };
  }, [file]);
  return read?.of === file ? read?.head : undefined;
}

function refusalOf(files: readonly File[], hasFolder: boolean): string | undefined {
  if (hasFolder) return 'This is a folder. Choose one file.';
  if (files.length > 1) return `These are ${files.length} files. Choose one of them.`;
  if (files.length === 0) return "This isn't a file. Choose a file.";
  return undefined;
}
