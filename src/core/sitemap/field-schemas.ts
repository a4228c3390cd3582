/** The zod building blocks of the entry schema, one for each kind of field. Their messages name the expected value. */
import { z } from 'zod';
import { hasAtMostCodePoints } from '../../platform/code-points.ts';
import { MAX_DECIMAL_PLACES, MAX_TEXT_LENGTH, MAX_URL_LENGTH } from './limits.ts';
import { isShortDecimal } from './plain-decimal.ts';
import { normaliseUrl } from './url.ts';
import { isXmlText } from './xml-text.ts';

/** zod's error parameter: `must be <what>`. For a missing or null member it adds that the member is required. */
export function mustBe(what: string) {
  return {
    error: ({ input }: { input?: unknown }) => `${input == null ? 'is required and ' : ''}must be ${what}`,
  };
}

/** A URL by docs/FORMAT.md, "URLs". The output is the URL as we write it. */
export function url(minLength = 0) {
  return z
    .string(mustBe('an absolute http:// or https:// URL'))
    .check((field) => {
      const verdict = normaliseUrl(field.value);
      if ('problem' in verdict) {
        field.issues.push({ code: 'custom', message: verdict.problem, input: field.value });
      } else if (verdict.url.length < minLength) {
        const message = `must be at least ${minLength} characters long`;
        field.issues.push({ code: 'custom', message, input: field.value });
      } else {
        field.value = verdict.url;
      }
    })
    .meta({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', minLength, maxLength: MAX_URL_LENGTH });
}

/** A text that XML can carry. Lengths are in code points. */
export function text(maxLength: number = MAX_TEXT_LENGTH, minLength = 0) {
  return z
    .string(mustBe('a string'))
    .check(({ value, issues }) => {
      const message = problemInText(value, minLength, maxLength);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    })
    .meta({ minLength, maxLength });
}

/** A text that is not empty. */
export function requiredText(maxLength: number = MAX_TEXT_LENGTH) {
  return text(maxLength, 1);
}

function problemInText(value: string, minLength: number, maxLength: number): string | undefined {
  if (value.length < minLength) return 'must not be empty';
  if (!hasAtMostCodePoints(value, maxLength)) return `must be at most ${maxLength} characters long`;
  return isXmlText(value) ? undefined : 'must not contain characters that XML forbids, or lone surrogates';
}

/** A string of a certain form. `what` describes the form, `format` names it. */
export function stringOfForm(format: string, what: string, hasForm: (value: string) => boolean) {
  return z
    .string(mustBe(what))
    .refine(hasForm, mustBe(what))
    .meta({ format, description: `${what.charAt(0).toUpperCase()}${what.slice(1)}.` });
}

/** A number from `min` to `max` that we can write without rounding. */
export function numberBetween(min: number, max: number) {
  const wanted = mustBe(`a number from ${min} to ${max}`);
  const tooLong = `must have at most ${MAX_DECIMAL_PLACES} decimal places`;
  return z.number(wanted).min(min, wanted).max(max, wanted).refine(isShortDecimal, tooLong);
}

/** A whole number from `min` to `max`. JSON's `60.0` is a whole number. */
export function integerBetween(min: number, max: number) {
  const wanted = mustBe(`a whole number from ${min} to ${max}`);
  return z.int(wanted).min(min, wanted).max(max, wanted);
}

/** A list. Its length is checked before its elements, so a hostile list costs little. */
export function listOf<T extends z.ZodType>(element: T, maxLength: number) {
  const wanted = mustBe(`an array of at most ${maxLength} elements`);
  // `max` compares the `length` of any object, and a hostile `length` may be an object that throws.
  const isShort = (list: readonly unknown[]) => list.length <= maxLength;
  return z.array(z.unknown(), wanted).refine(isShort, wanted).pipe(z.array(element).max(maxLength));
}

/** An optional member. `null` counts as absent and never appears in the output. */
export function optional<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  const orNull = schema.nullish().overwrite((value) => value ?? undefined);
  // zod's `overwrite` cannot narrow the type. zod's `transform` can, but more than halves the speed.
  return orNull as unknown as z.ZodOptional<T>;
}
