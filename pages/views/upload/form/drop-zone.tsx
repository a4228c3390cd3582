/** A file input that is also the place to drop a file. A file that misses it must not replace the page. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { droppedIn, takeDropped } from '../../../api/dropped-file.ts';
import { Fault } from '../../../parts/fault.tsx';
import { bytes } from '../../../parts/format.ts';
import type { ChosenFile } from './chosen-file.ts';

export interface DropZoneProps {
  readonly chosen: ChosenFile;
  readonly fault: string | undefined;
}

export function DropZone({ chosen, fault }: DropZoneProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop(chosen.choose);
  useShownName(input, chosen.file);
  const error = chosen.problem ?? fault;
  return (
    <div class={isOver ? 'drop-zone drop-zone-over' : 'drop-zone'}>
      <label for={id}>{isOver ? 'Drop the file' : 'Drop a file here, or choose one'}</label>
      <input
        ref={input}
        id={id}
        type="file"
        aria-describedby={`${id}-hint${error ? ` ${id}-error` : ''}`}
        aria-invalid={error ? true : undefined}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          if (files.length > 0) chosen.choose(files, false);
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        {chosen.file
          ? `${bytes(chosen.file.size)}. Drop another file to take that instead.`
          : 'CSV, plain text, XML sitemap, NDJSON or JSON. Also compressed: .gz, .zst or .br'}
      </p>
      <Fault id={`${id}-error`}>{error}</Fault>
    </div>
  );
}

/** Takes what is dropped anywhere in the window. Returns whether a file hovers over it. */
function useDrop(choose: ChosenFile['choose']): boolean {
  const [isOver, setOver] = useState(false);
  const taking = useRef(choose);
  taking.current = choose;
  useLayoutEffect(() => {
    // It was dropped on another page.
    const dropped = takeDropped();
    if (dropped) taking.current(dropped.files, dropped.hasFolder);
    const listeners = {
      dragover: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      dragleave: (event: DragEvent) => {
        // Others come from one element of the page to the next.
        if (event.relatedTarget === null) setOver(false);
      },
      drop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        const { files, hasFolder } = droppedIn(event.dataTransfer!);
        taking.current(files, hasFolder);
      },
    };
    const all = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [name, listener] of all) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener);
    };
  }, []);
  return isOver;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** The input says the name of a dropped file, too. */
function useShownName(input: { readonly current: HTMLInputElement | null }, file: File | undefined): void {
  useEffect(() => {
    const element = input.current!;
    if (element.files?.[0] === file) return;
    const transfer = new DataTransfer();
    if (file !== undefined) transfer.items.add(file);
    element.files = transfer.files;
  }, [file]);
}
