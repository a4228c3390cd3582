/** The field that asks for the address of the present sitemap of a website, and the button that imports it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useWork } from './action.tsx';
import { Field, fieldError } from './field.tsx';
import { VERBATIM } from './verbatim.ts';

/** What a field leaves to the one that takes its place. */
export interface KeptField {
  text: string;
  hasFocus: boolean;
}

export interface TodayFieldProps {
  /** Begins the import from the typed address. */
  readonly submit: (typed: string) => Promise<unknown>;
  /** Whether the import is the next step of its page. */
  readonly isNext?: boolean;
  /** Holds the text and the focus while the page moves the field to another place. */
  readonly kept?: KeptField | undefined;
}

export function TodayField({ submit, isNext = false, kept }: TodayFieldProps) {
  const [typed, setTyped] = useState(kept?.text ?? '');
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const element = input.current!;
    if (kept?.hasFocus) element.focus();
    return () => {
      if (kept) kept.hasFocus = document.activeElement === element;
    };
  }, [kept]);
  const { isBusy, failure, run } = useWork(() => submit(typed));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') run();
      }}
    >
      <Field
        label="Where is your sitemap today?"
        hint="Your website's name is enough. Or the address of a sitemap, an index of sitemaps or a robots.txt. Waypost reads it now, once."
        error={fieldError(failure)}
      >
        {(tied) => (
          <div class="import">
            <input
              {...tied}
              ref={input}
              type="text"
              inputMode="url"
              {...VERBATIM}
              placeholder="www.example.com"
              value={typed}
              onInput={({ currentTarget: { value } }) => {
                setTyped(value);
                if (kept) kept.text = value;
              }}
            />
            <button type="submit" class={isNext ? 'primary' : undefined} aria-disabled={isBusy}>
              {isBusy ? 'One moment …' : 'Import'}
            </button>
          </div>
        )}
      </Field>
    </form>
  );
}
