/** A labelled input with its hint and its error. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import { Fault } from './fault.tsx';
import { messageOf } from './states.tsx';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Renders the input. `tied` has the attributes that tie the input to its label, hint and error: `<input {...tied} />`. */
  readonly children: (tied: TiedInput) => ComponentChildren;
}

/** Returns the message of the service about an input, without the name of the input in the API. */
export function fieldError(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const message = messageOf(error);
  const name = error instanceof ApiError ? `${error.details.field}: ` : '';
  if (name === '' || !message.startsWith(name)) return message;
  const rest = message.slice(name.length);
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

export interface TiedInput {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': true as const }),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <Fault id={`${id}-error`}>{error}</Fault>
    </div>
  );
}
