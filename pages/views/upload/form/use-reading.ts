/** Asks the service for a preview of the beginning of the chosen file, read by the person's choices. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { askPreview } from '../../../api/preview.ts';
import { CONTENT_TYPES } from '../file-form.ts';
import { recallChoices } from '../kept-choices.ts';
import { type Beginning, type Choices, pairsOf, readBeginning } from '../reading.ts';
import type { ChosenFile } from './chosen-file.ts';

export interface ReadingOfFile {
  /** Undefined while it is read for the first time, after a failure, and for a file without a readable beginning. */
  readonly beginning: Beginning | undefined;
  readonly isReading: boolean;
  readonly error: unknown;
  readonly again: () => unknown;
  /** The person's choices for this file. */
  readonly choices: Choices;
  readonly choose: (part: Choices) => void;
}

const NONE: Choices = {};

/** Returns the zone of the browser. Most exports have the zone of the person who made them. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function useReading({ file, form, head }: ChosenFile, former: Choices): ReadingOfFile {
  // Choices belong to one file.
  const [chosen, setChosen] = useState({ of: file, choices: former });
  const choices = chosen.of === file ? chosen.choices : NONE;
  const key = file && [file.name, file.size, file.lastModified, form];
  const query = useQuery({
    queryKey: ['preview', key, choices],
    queryFn: () =>
      readBeginning(
        (parameters) => askPreview(head!, CONTENT_TYPES[form!], new URLSearchParams(pairsOf(parameters))),
        form!,
        choices,
        browserZone(),
        recallChoices,
      ),
    enabled: head !== undefined && form !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // The form waits for the end of this query, so do not retry. The card of the file has a button that tries again.
    retry: false,
    // The table stays while the same file is read again in another way.
    placeholderData: (data, last) =>
      JSON.stringify(last?.queryKey[1]) === JSON.stringify(key) ? keepPreviousData(data) : undefined,
  });
  return {
    beginning: head && query.data,
    isReading: query.isFetching,
    error: query.data === undefined ? query.error : undefined,
    again: query.refetch,
    choices,
    choose: (part) => setChosen({ of: file, choices: { ...choices, ...part } }),
  };
}
