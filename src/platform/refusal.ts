/**
 * A refusal is an answer that we intend, unlike a bug or an outage. It knows nothing of HTTP: the table in
 * `core/web/error-answers.ts` maps each code to a status.
 */
import leven from 'leven';
import { shownText, shownValue } from './shown-value.ts';

export type RefusalCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMIT_EXCEEDED'
  | 'SERVICE_UNAVAILABLE';

export interface RefusalOptions {
  /** Shown to the client as `error.details`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The time after which a retry makes sense. */
  readonly retryAfterSeconds?: number;
  /** For METHOD_NOT_ALLOWED: the methods that are allowed. */
  readonly allow?: readonly string[];
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly options: RefusalOptions;

  constructor(code: RefusalCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}

/**
 * Returns the refusal of a field that breaks a rule. `named`: the name of the field, which may come from the client. `more`: further
 * details.
 */
export function invalidField(named: string, value: unknown, message: string, more: object = {}): Refusal {
  const field = shownText(named);
  return new Refusal('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { field, value: shownValue(value), ...more },
  });
}

/** Adds the name of the member to the field of a refusal: `sources` in the member `load` becomes load.sources. */
export function withinMember<Parsed>(member: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    const field = error instanceof Refusal ? error.options.details?.field : undefined;
    if (!(error instanceof Refusal) || field === undefined) throw error;
    const details = { ...error.options.details, field: `${member}.${field}` };
    throw new Refusal(error.code, `${member}.${error.message}`, { ...error.options, details });
  }
}

/**
 * Returns the refusal of a name that is not in `known`. The message suggests the nearest known name, or lists all if none is near. `value`:
 * the field's value, if it was read.
 */
export function unknownName(name: string, known: readonly string[], value?: unknown): Refusal {
  const nearest = nearestName(name, known);
  const all = known.length === 0 ? '' : `; expected one of ${known.join(', ')}`;
  const hint = nearest === undefined ? all : `; did you mean ${nearest}?`;
  return invalidField(name, value, `is not known here${hint}`);
}

/** No name of ours is longer. The cost of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 64;

export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined;
  const plain = plainForm(given);
  const [nearest] = names
    .map((name) => ({ name, distance: leven(plain, plainForm(name)) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance);
  return nearest?.name;
}

/** sitemap_name, Sitemap-Name and sitemapName have the same plain form. */
function plainForm(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
